'use strict'

// Checks the option `filter`, which says what Rust leaves out of a listing.

const { isRegExp } = require('node:util/types')
const core = require('../native/core.js')
const { SynchronizerInvalidError } = require('../base/errors.js')
const { checkDate, checkPlainObject, invalid, show } = require('../base/validate.js')
const { checkText } = require('./text.js')

/** The filter as the addon takes it, among the options of a listing. */
function toFilter(filter) {
  if (filter == null) return {}
  checkPlainObject('filter', filter)
  const { modifiedBefore, minSize, maxSize, suffix, glob, regex, ...unknown } = filter
  const [name] = Object.keys(unknown)
  if (name !== undefined) {
    throw invalid(
      `filter.${name}`,
      unknown[name],
      'left out: a filter has modifiedBefore, minSize, maxSize, suffix, glob and regex; for a function use `where`',
    )
  }
  // A condition that went missing must not become a filter that wants more.
  for (const [field, value] of Object.entries({ modifiedBefore, minSize, maxSize, suffix, glob, regex })) {
    if (value === null || value === '') throw invalid(`filter.${field}`, value, 'a condition, or left out')
  }
  const before = modifiedBefore === undefined ? undefined : checkDate('filter.modifiedBefore', modifiedBefore)
  for (const [sizeName, size] of [
    ['minSize', minSize],
    ['maxSize', maxSize],
  ]) {
    if (size != null && !(typeof size === 'number' && size >= 0))
      throw invalid(`filter.${sizeName}`, size, 'a number of bytes')
  }
  checkText('filter.suffix', suffix)
  return {
    modifiedBefore: before,
    minSize,
    maxSize,
    suffix,
    globs: toPatterns('glob', glob),
    regexes: toPatterns('regex', regex),
  }
}

function toPatterns(name, pattern) {
  if (pattern == null) return undefined
  if (isRegExp(pattern)) {
    throw invalid(
      `filter.${name}`,
      pattern,
      "a string in the syntax of Rust's regex crate (a RegExp belongs in `where`, which JavaScript runs)",
    )
  }
  checkText(`filter.${name}`, pattern)
  const fault = core.findFaultInPattern(name === 'glob', pattern)
  if (fault != null)
    throw new SynchronizerInvalidError(`filter.${name} must be one that can be read, but is ${show(pattern)}: ${fault}`)
  return [pattern]
}

module.exports = { toFilter }
