'use strict'

// Checks of what users pass in. Each error names the value and what to pass instead.

const { inspect } = require('node:util')
const core = require('../native/core.js')
const { SynchronizerInvalidError } = require('./errors.js')

function show(value) {
  return inspect(value, { depth: 0, breakLength: Infinity })
}

function invalid(name, value, remedy) {
  return new SynchronizerInvalidError(`${name} must be ${remedy}, but is ${show(value)}`)
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

function checkFunction(name, value) {
  if (typeof value !== 'function') throw invalid(name, value, 'a function')
}

function checkOptionalFunction(name, value) {
  if (value !== undefined && typeof value !== 'function') throw invalid(name, value, 'a function, or left out')
}

function checkOptions(name, options) {
  if (options != null && typeof options !== 'object') throw invalid(name, options, 'an object, or left out')
}

/**
 * A copy of what the user gave, for which each property was read once: nothing that is changed later, and no getter,
 * has a say any more. `names` are those that a class may keep on its prototype.
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

function checkOptionalSignal(signal) {
  if (signal == null) return
  const isSignal =
    typeof signal.aborted === 'boolean' && typeof signal.addEventListener === 'function' && typeof signal.removeEventListener === 'function'
  if (!isSignal) {
    throw invalid('signal', signal, 'an AbortSignal, or left out')
  }
}

module.exports = {
  show,
  invalid,
  invalidLimit,
  checkLimit,
  checkKeyLimit,
  checkFunction,
  checkOptionalFunction,
  checkOptionalSignal,
  checkOptions,
  readOnce,
}
