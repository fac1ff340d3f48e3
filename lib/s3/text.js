'use strict'

// Checks strings that cross to Rust, where text is UTF-8: half of a surrogate pair would become another string there.

const { invalid } = require('../base/validate.js')

/** Checks an option that may be left out. */
function checkText(name, value) {
  if (value == null) return
  if (typeof value !== 'string') throw invalid(name, value, 'a string, or left out')
  if (!isWellFormed(value)) throw invalid(name, value, 'a string without half surrogate pairs: S3 has no such keys')
}

/** @param {any} text a string; its method is newer than the library that TypeScript checks this file against. */
function isWellFormed(text) {
  return text.isWellFormed()
}

module.exports = { checkText, isWellFormed }
