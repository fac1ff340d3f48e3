'use strict'

// The core's own faults: a panic is thrown as an Error. Functions that give something back take effect all the same, and the
// Error tells in `answer` what they would have returned; src/node/functions.rs says which.

const { warn } = require('./warning.js')

/** What the function came to all the same: `undefined` when it came to nothing, and `null` when it should have. */
function answerOf(error) {
  return error?.answer
}

/** Calls `tell()`, to which nobody waits for an answer: what it throws becomes a warning of the process. */
function tellSafely(tell) {
  try {
    tell()
  } catch (error) {
    warn(error)
  }
}

/** `warnOfFault` is for faults that no promise waits to be told of. */
module.exports = { answerOf, tellSafely, warnOfFault: warn }
