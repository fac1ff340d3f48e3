'use strict'

// Warnings of the process, for what nobody waits to be told of. They never throw, whatever they are about.

const process = require('node:process')
const { inspect } = require('node:util')

/** Says what was thrown: an error of whatever realm, or anything else. */
function warn(error) {
  try {
    process.emitWarning(error)
  } catch {
    // Node.js takes only errors of its own realm, but text of any.
    warnAsText(error)
  }
}

function warnAsText(error) {
  try {
    process.emitWarning(messageOf(error), { type: typeof error?.name === 'string' ? error.name : 'Warning', detail: inspect(error) })
  } catch {
    // Nothing else can be said, and whoever warns must go on.
  }
}

/** What a value that was thrown says, be it an error, of whatever realm, or not. */
function messageOf(error) {
  try {
    return typeof error?.message === 'string' ? error.message : inspect(error, { depth: 0, breakLength: Infinity })
  } catch {
    return 'something that cannot be shown'
  }
}

module.exports = { messageOf, warn }
