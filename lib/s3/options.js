'use strict'

// Checks the options of S3 jobs, and turns them into what the addon takes: plain objects without undefined fields.

const { isRegExp } = require('node:util/types')
const core = require('../native/core.js')
const { SynchronizerInvalidError } = require('../base/errors.js')
const {
  checkKeyLimit,
  checkLimit,
  checkOptionalFunction,
  checkOptionalSignal,
  invalid,
  show,
} = require('../base/validate.js')

const MOST_IN_BATCH = 1000
const MOST_LISTERS = 1000
// In the path of a request anything else may be read as another path: as the bucket `a` and a key, or as no bucket at all.
const IS_BUCKET = /^(?:arn:[^\s\p{Cc}?#\\]+|(?!\.{1,2}$)[^\s\p{Cc}/?#\\]+)$/u

const DEFAULTS = {
  batchSize: MOST_IN_BATCH,
  maxTasksInExecution: 50,
  parallelListing: 8,
}

const TARGET_NAMES = ['Bucket', 'ExpectedBucketOwner', 'RequestPayer']
const RANGE_NAMES = ['Prefix', 'StartAfter', 'MaxKeys', 'parallelListing', 'filter']
const LISTING_NAMES = [...TARGET_NAMES, ...RANGE_NAMES, 'where', 'signal']
const DELETION_NAMES = [
  ...TARGET_NAMES,
  'batchSize',
  'maxTasksInExecution',
  'limitPerKey',
  'BypassGovernanceRetention',
  'MFA',
  'signal',
]
const JOB_NAMES = [
  ...DELETION_NAMES,
  ...RANGE_NAMES,
  'all',
  'versions',
  'dryRun',
  'maxTasksInFlight',
  'onTaskError',
  'onProgress',
]

function given(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null))
}

function checkObject(name, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name, value, 'an object')
}

/** Refuses names that `what` does not know: of a misspelt one, nobody would notice that it does nothing. */
function checkNames(what, options, names) {
  checkObject('The options', options)
  const unknown = Object.keys(given(options)).find((name) => !names.includes(name))
  if (unknown !== undefined) throw invalid(unknown, options[unknown], `left out: ${what} knows ${names.join(', ')}`)
}

/**
 * The options, each read once, as an object that nobody else has: what becomes of the caller's afterwards changes nothing, and
 * what is checked is what is used.
 *
 * @returns {any}
 */
function readOptions(options, names) {
  checkObject('The options', options)
  const read = new Set([...names, ...Object.keys(options)])
  const own = Object.fromEntries([...read].map((name) => [name, options[name]]))
  if (own.limitPerKey != null) own.limitPerKey = readLimitPerKey(own.limitPerKey)
  return own
}

function readLimitPerKey(limitPerKey) {
  checkObject('limitPerKey', limitPerKey)
  const { prefixLength, delimiter, maxTasksInExecution, synchronizers } = limitPerKey
  return { prefixLength, delimiter, maxTasksInExecution, synchronizers }
}

function checkOptional(type, name, value) {
  if (value != null && typeof value !== type) throw invalid(name, value, `a ${type}, or left out`)
}

/** A string that crosses to Rust as it is. */
function checkText(name, value) {
  if (value == null) return
  if (typeof value !== 'string') throw invalid(name, value, 'a string, or left out')
  if (!isWellFormed(value)) throw invalid(name, value, 'a string without half surrogate pairs: S3 has no such keys')
}

/** @param {any} text a string; the method is newer than the library that this is checked against. */
function isWellFormed(text) {
  return text.isWellFormed()
}

function checkInteger(name, value, most) {
  if (!Number.isInteger(value) || value < 1 || value > most) throw invalid(name, value, `an integer from 1 to ${most}`)
}

function checkMilliseconds(name, value) {
  if (value != null && !(typeof value === 'number' && value >= 0)) throw invalid(name, value, 'milliseconds, 0 or more')
}

function toTarget({ Bucket, ExpectedBucketOwner, RequestPayer }) {
  if (typeof Bucket !== 'string' || Bucket === '') throw invalid('Bucket', Bucket, 'the name or ARN of a bucket')
  if (!IS_BUCKET.test(Bucket)) {
    throw invalid('Bucket', Bucket, 'a name without a path, or an ARN: the beginning of keys belongs into `Prefix`')
  }
  checkText('ExpectedBucketOwner', ExpectedBucketOwner)
  if (RequestPayer != null && RequestPayer !== 'requester')
    throw invalid('RequestPayer', RequestPayer, "'requester', or left out")
  return { Bucket, ExpectedBucketOwner, requesterPays: RequestPayer === 'requester' }
}

function toFilter(filter) {
  if (filter == null) return {}
  checkObject('filter', filter)
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
    if (value === null) throw invalid(`filter.${field}`, value, 'a condition, or left out')
  }
  const before = modifiedBefore === undefined ? undefined : new Date(modifiedBefore).getTime()
  if (Number.isNaN(before)) throw invalid('filter.modifiedBefore', modifiedBefore, 'a Date, or what makes one')
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

/** What a listing takes. */
function toListing(options) {
  const { Prefix, StartAfter, MaxKeys, filter, where, signal } = options
  const parallelListing = options.parallelListing ?? DEFAULTS.parallelListing
  const target = toTarget(options)
  checkText('Prefix', Prefix)
  checkText('StartAfter', StartAfter)
  if (MaxKeys != null) checkInteger('MaxKeys', MaxKeys, MOST_IN_BATCH)
  checkInteger('parallelListing', parallelListing, MOST_LISTERS)
  checkOptionalFunction('where', where)
  checkOptionalSignal(signal)
  return given({ ...target, Prefix, StartAfter, MaxKeys, parallelListing, ...toFilter(filter) })
}

/** What a delete takes. */
function toDeletion(options) {
  const batchSize = options.batchSize ?? DEFAULTS.batchSize
  const maxTasksInExecution = options.maxTasksInExecution ?? DEFAULTS.maxTasksInExecution
  const { BypassGovernanceRetention, MFA, limitPerKey, signal } = options
  const target = toTarget(options)
  checkInteger('batchSize', batchSize, MOST_IN_BATCH)
  checkLimit('maxTasksInExecution', maxTasksInExecution)
  checkOptional('boolean', 'BypassGovernanceRetention', BypassGovernanceRetention)
  checkText('MFA', MFA)
  checkOptionalSignal(signal)
  return given({
    ...target,
    batchSize,
    maxTasksInExecution,
    BypassGovernanceRetention,
    MFA,
    ...toLimitPerKey(limitPerKey),
  })
}

function toLimitPerKey(limitPerKey) {
  if (limitPerKey == null) return {}
  const { prefixLength, delimiter, maxTasksInExecution, synchronizers } = limitPerKey
  if ((prefixLength == null) === (delimiter == null)) {
    throw invalid('limitPerKey', limitPerKey, 'an object with either prefixLength or delimiter')
  }
  if (prefixLength != null) checkInteger('limitPerKey.prefixLength', prefixLength, 1024)
  if (delimiter === '') throw invalid('limitPerKey.delimiter', delimiter, 'a string that is not empty')
  checkText('limitPerKey.delimiter', delimiter)
  checkKeyLimit(maxTasksInExecution, synchronizers)
  return { prefixLength, delimiter, maxPerPrefix: maxTasksInExecution, gated: synchronizers !== undefined }
}

module.exports = {
  DEFAULTS,
  DELETION_NAMES,
  JOB_NAMES,
  LISTING_NAMES,
  checkInteger,
  checkMilliseconds,
  checkNames,
  checkObject,
  checkOptional,
  checkText,
  given,
  isWellFormed,
  readOptions,
  toDeletion,
  toListing,
}
