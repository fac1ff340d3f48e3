'use strict'

// Warnings of the process, for failures that no promise can reject with. To warn never throws, whatever the warning is about.

const process = require('node:process')
const { inspect } = require('node:util')

/** Warns of `error`, which may be an error of any realm, or any other value that was thrown. */
function warn(error) {
  try {
    process.emitWarning(error)
  } catch {
    // Node.js takes errors of its own realm only, but text of any realm.
    warnAsText(error)
  }
}

function warnAsText(error) {
  try {
    process.emitWarning(messageOf(error), {
      type: typeof error?.name === 'string' ? error.name : 'Warning',
      detail: inspect(error),
    })
  } catch {
    // No warning can be given, and whoever warns must go on.
  }
}

/** The message of `error`, which may be an error of any realm, or any other value that was thrown. */
function messageOf(error) {
  try {
    return typeof error?.message === 'string' ? error.message : inspect(error, { depth: 0, breakLength: Infinity })
  } catch {
    return 'something that cannot be shown'
  }
}

module.exports = { messageOf, warn }
