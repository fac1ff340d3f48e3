'use strict'

// The core's own faults: a panic is thrown as an Error. Functions that give something back take effect all the same, and the
// Error tells in `answer` what they would have returned; src/node/functions.rs says which.

const { warn } = require('./warning.js')

/**
 * What a function that threw `error` would have returned: `undefined` when it took no effect, and `null` when it should have
 * taken effect and failed again.
 */
function answerOf(error) {
  return error?.answer
}

/** Calls `tell()`, whose result nobody waits for: what it throws becomes a warning of the process. */
function tellSafely(tell) {
  try {
    tell()
  } catch (error) {
    warn(error)
  }
}

/** `warnOfFault` is for faults that no promise can reject with. */
module.exports = { answerOf, tellSafely, warnOfFault: warn }
