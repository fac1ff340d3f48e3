'use strict'

// Checks the options of reading and listing, and fills in what was left out. Each option is read once, at the call: what
// becomes of the object later, or what a getter would give the next time, changes nothing.

const { Buffer } = require('node:buffer')
const { checkLimit, checkOptionalSignal, invalid } = require('../base/validate.js')

const FILES_IN_FLIGHT = 2048
const BYTES_IN_FLIGHT = 64 * 1024 * 1024

const READ_OPTIONS = ['encoding', 'errors', 'maxBytesInFlight', 'maxFilesInFlight', 'ordered', 'signal', 'special', 'timeout']
const LIST_OPTIONS = ['followSymlinks', 'glob', 'hidden', 'ignore', 'signal']

/** A string is the encoding, as for Node.js's readFile. */
function readOptions(given) {
  const object = typeof given === 'string' ? { encoding: given } : asObject(given, 'an object, an encoding, or left out')
  const options = readOnce(object, READ_OPTIONS)
  const { encoding, errors = 'throw', ordered = true, special = false, signal, timeout } = options
  const { maxFilesInFlight = FILES_IN_FLIGHT, maxBytesInFlight = BYTES_IN_FLIGHT } = options
  checkLimit('maxFilesInFlight', maxFilesInFlight)
  checkLimit('maxBytesInFlight', maxBytesInFlight)
  checkBoolean('ordered', ordered)
  checkBoolean('special', special)
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

function asObject(options, remedy) {
  if (options == null) return {}
  if (typeof options !== 'object' || Array.isArray(options)) throw invalid('options', options, remedy)
  return options
}

/** A copy of the options of these names; any other that has a value is refused. @returns {any} */
function readOnce(given, names) {
  for (const name of Object.keys(given)) {
    if (!names.includes(name) && given[name] !== undefined) throw invalid("An option's name", name, `one of ${names.join(', ')}`)
  }
  return Object.fromEntries(names.map((name) => [name, given[name]]))
}

function checkBoolean(name, value) {
  if (typeof value !== 'boolean') throw invalid(name, value, 'true, false, or left out')
}

/** What Node.js's readFile takes; `undefined` stands for a Buffer. */
function encodingOf(encoding) {
  if (encoding == null || encoding === 'buffer') return undefined
  if (typeof encoding !== 'string' || !Buffer.isEncoding(encoding)) {
    throw invalid('encoding', encoding, "an encoding that Node.js knows such as 'utf8', or left out")
  }
  return encoding
}

function listOptions(given) {
  const options = readOnce(asObject(given, 'an object, or left out'), LIST_OPTIONS)
  const { glob, ignore, followSymlinks = false, hidden = false, signal } = options
  checkBoolean('followSymlinks', followSymlinks)
  checkBoolean('hidden', hidden)
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

module.exports = { listOptions, readOptions }
