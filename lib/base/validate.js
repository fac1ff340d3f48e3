'use strict'

// Checks of what users pass in. Each error names the value, and says what to pass instead.
//
// A check named `checkOptional...` takes `undefined` for an option that was left out; the signal may also be `null`, as in
// Node.js's own functions.

const { inspect } = require('node:util')
const core = require('../native/core.js')
const { SynchronizerInvalidError } = require('./errors.js')

function show(value) {
  return inspect(value, { depth: 0, breakLength: Infinity })
}

function invalid(name, value, remedy) {
  return new SynchronizerInvalidError(`${name} must be ${remedy}, but is ${show(value)}`)
}

function checkFunction(name, value) {
  if (typeof value !== 'function') throw invalid(name, value, 'a function')
}

function checkOptionalFunction(name, value) {
  if (value !== undefined && typeof value !== 'function') throw invalid(name, value, 'a function, or left out')
}

function checkOptionalBoolean(name, value) {
  if (value !== undefined && typeof value !== 'boolean') throw invalid(name, value, 'a boolean, or left out')
}

function checkOptionalSignal(signal) {
  if (signal == null) return
  const isSignal =
    typeof signal.aborted === 'boolean' &&
    typeof signal.addEventListener === 'function' &&
    typeof signal.removeEventListener === 'function'
  if (!isSignal) {
    throw invalid('signal', signal, 'an AbortSignal, or left out')
  }
}

function checkInteger(name, value, most) {
  if (!Number.isInteger(value) || value < 1 || value > most) throw invalid(name, value, `an integer from 1 to ${most}`)
}

/** The milliseconds since 1970 of a Date, or of what the constructor of Date takes. */
function checkDate(name, value) {
  const time = new Date(value).getTime()
  if (Number.isNaN(time)) throw invalid(name, value, 'a Date, or what makes one')
  return time
}

/** The error for a limit that the core refused. */
function invalidLimit(name, value) {
  return invalid(name, value, 'an integer of at least 1')
}

function checkLimit(name, value) {
  if (typeof value !== 'number' || !core.isLimit(value)) throw invalidLimit(name, value)
}

/** The part that all kinds of `limitPerKey` have in common. */
function checkKeyLimit(maxTasksInExecution, synchronizers) {
  checkLimit('limitPerKey.maxTasksInExecution', maxTasksInExecution)
  if (synchronizers !== undefined && typeof synchronizers?.forKey !== 'function') {
    throw invalid('limitPerKey.synchronizers', synchronizers, 'a SynchronizerProvider, or left out')
  }
}

function checkObject(name, value, remedy = 'an object') {
  if (typeof value !== 'object' || value === null) throw invalid(name, value, remedy)
}

/** An object that is no array, as a mistaken list of options would be. */
function checkPlainObject(name, value, remedy = 'an object') {
  if (Array.isArray(value)) throw invalid(name, value, remedy)
  checkObject(name, value, remedy)
}

/** Options that may be left out as a whole. */
function checkOptions(name, options) {
  if (options != null) checkObject(name, options, 'an object, or left out')
}

/**
 * A copy of what the user gave, for which each property was read once, so that what is checked is what is used: later
 * changes of the object and getters have no effect. `names` are properties that a class may keep on its prototype.
 */
function readOnce(params, names) {
  const copy = { ...params }
  for (const name of names) {
    if (Object.hasOwn(copy, name)) continue
    const value = params?.[name]
    if (value !== undefined) copy[name] = value
  }
  return copy
}

/** The options that have a value, where `undefined` and `null` both stand for an option that was left out. */
function given(options) {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value != null))
}

/** Refuses an option that `what` does not know: nobody would notice that a misspelt one does nothing. */
function checkNames(what, options, names) {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !names.includes(name)) {
      throw invalid(name, value, `left out: ${what} knows ${names.join(', ')}`)
    }
  }
}

module.exports = {
  checkDate,
  checkFunction,
  checkInteger,
  checkKeyLimit,
  checkLimit,
  checkNames,
  checkObject,
  checkOptionalBoolean,
  checkOptionalFunction,
  checkOptionalSignal,
  checkOptions,
  checkPlainObject,
  given,
  invalid,
  invalidLimit,
  readOnce,
  show,
}
