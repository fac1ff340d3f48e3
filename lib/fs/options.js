'use strict'

// Checks the options of reading and listing, and fills in what was left out.

const { Buffer } = require('node:buffer')
const { checkLimit, checkOptionalSignal, invalid } = require('../validate.js')

const FILES_IN_FLIGHT = 2048
const BYTES_IN_FLIGHT = 64 * 1024 * 1024

/** A string is the encoding, as for Node.js's readFile. */
function readOptions(given) {
  const options = typeof given === 'string' ? { encoding: given } : asObject(given, 'an object, an encoding, or left out')
  const { encoding, errors = 'throw', ordered = true, special = false, signal, timeout } = options
  const { maxFilesInFlight = FILES_IN_FLIGHT, maxBytesInFlight = BYTES_IN_FLIGHT } = options
  checkLimit('maxFilesInFlight', maxFilesInFlight)
  checkLimit('maxBytesInFlight', maxBytesInFlight)
  checkOptionalSignal(signal)
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0)) {
    throw invalid('timeout', timeout, 'a number of milliseconds above 0, or left out')
  }
  if (errors !== 'throw' && errors !== 'yield') throw invalid('errors', errors, "'throw' or 'yield'")
  return {
    encoding: encodingOf(encoding),
    errors,
    maxBytesInFlight,
    maxFilesInFlight,
    ordered: ordered !== false,
    signal,
    special: special === true,
    timeout: timeout === Infinity ? undefined : timeout,
  }
}

function asObject(options, remedy) {
  if (options == null) return {}
  if (typeof options !== 'object' || Array.isArray(options)) throw invalid('options', options, remedy)
  return options
}

/** What Node.js's readFile takes; `undefined` stands for a Buffer. */
function encodingOf(encoding) {
  if (encoding == null || encoding === 'buffer') return undefined
  if (typeof encoding !== 'string' || !Buffer.isEncoding(encoding)) {
    throw invalid('encoding', encoding, "an encoding that Node.js knows such as 'utf8', or left out")
  }
  return encoding
}

function listOptions(options) {
  const { glob, ignore, followSymlinks = false, hidden = false, signal } = asObject(options, 'an object, or left out')
  checkOptionalSignal(signal)
  return {
    glob: patterns('glob', glob),
    ignore: patterns('ignore', ignore),
    followSymlinks: followSymlinks === true,
    hidden: hidden === true,
    signal,
  }
}

function patterns(name, value) {
  const list = value === undefined ? [] : Array.isArray(value) ? value : [value]
  for (const pattern of list) {
    if (typeof pattern !== 'string') throw invalid(name, value, 'a pattern, an array of patterns, or left out')
  }
  return list
}

module.exports = { listOptions, readOptions }
