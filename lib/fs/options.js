'use strict'

// Checks the options of reading and listing, and fills in what was left out.

const { Buffer } = require('node:buffer')
const {
  checkLimit,
  checkNames,
  checkOptionalBoolean,
  checkOptionalSignal,
  checkPlainObject,
  invalid,
  readOnce,
} = require('../base/validate.js')

const FILES_IN_FLIGHT = 2048
const BYTES_IN_FLIGHT = 64 * 1024 * 1024

const READ_NAMES = [
  'encoding',
  'errors',
  'maxBytesInFlight',
  'maxFilesInFlight',
  'ordered',
  'signal',
  'special',
  'timeout',
]
const LIST_NAMES = ['followSymlinks', 'glob', 'hidden', 'ignore', 'signal']

/** The options of `what` reads. A string is the encoding, as for Node.js's readFile. */
function toReadOptions(what, given) {
  const object = typeof given === 'string' ? { encoding: given } : given
  const options = readOptions(what, object, READ_NAMES, 'an object, an encoding, or left out')
  const { encoding, errors = 'throw', ordered = true, special = false, signal, timeout } = options
  const { maxFilesInFlight = FILES_IN_FLIGHT, maxBytesInFlight = BYTES_IN_FLIGHT } = options
  checkLimit('maxFilesInFlight', maxFilesInFlight)
  checkLimit('maxBytesInFlight', maxBytesInFlight)
  checkOptionalBoolean('ordered', ordered)
  checkOptionalBoolean('special', special)
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
    ordered,
    signal: signal ?? undefined,
    special,
    timeout: timeout === Infinity ? undefined : timeout,
  }
}

/** A copy of the options of `what`, without any that it does not know. @returns {any} */
function readOptions(what, options, names, remedy = 'an object, or left out') {
  if (options == null) return {}
  checkPlainObject('options', options, remedy)
  const own = readOnce(options, names)
  checkNames(what, own, names)
  return own
}

/** The encodings that Node.js's readFile takes; `undefined` stands for a Buffer. */
function encodingOf(encoding) {
  if (encoding == null || encoding === 'buffer') return undefined
  if (typeof encoding !== 'string' || !Buffer.isEncoding(encoding)) {
    throw invalid('encoding', encoding, "an encoding that Node.js knows such as 'utf8', or left out")
  }
  return encoding
}

function toListOptions(what, given) {
  const options = readOptions(what, given, LIST_NAMES)
  const { glob, ignore, followSymlinks = false, hidden = false, signal } = options
  checkOptionalBoolean('followSymlinks', followSymlinks)
  checkOptionalBoolean('hidden', hidden)
  checkOptionalSignal(signal)
  return {
    glob: patterns('glob', glob),
    ignore: patterns('ignore', ignore),
    followSymlinks,
    hidden,
    signal: signal ?? undefined,
  }
}

function patterns(name, value) {
  const list = value === undefined ? [] : Array.isArray(value) ? [...value] : [value]
  for (const pattern of list) {
    if (typeof pattern !== 'string') throw invalid(name, value, 'a pattern, an array of patterns, or left out')
    if (pattern === '' || /^\.?\//.test(pattern)) {
      throw invalid(name, pattern, "a path relative to the folder, without a leading './' or '/', such as '**/*.md'")
    }
  }
  return list
}

module.exports = { toListOptions, toReadOptions }
