'use strict'

// Closes sources, and waits for what ends on its own, but not for ever.

const { clearTimeout, setTimeout } = require('node:timers')
const { warn } = require('../native/warning.js')

/** Milliseconds that a source has for its `finally` blocks; a source whose `next()` is stuck never closes. */
const PATIENCE = 100

/** Settles when `promise` has settled, which must not reject, or when patience ends. */
function settlesSoon(promise) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE)
    promise.then(() => {
      clearTimeout(timer)
      resolve(undefined)
    })
  })
}

/** Calls `source.return()`, and settles when that has settled, or patience ends. What it throws becomes a warning. */
function closeSource(source) {
  const closed = closing(source).catch((error) => {
    warn(new Error('A source failed while it was closed', { cause: error }))
  })
  return settlesSoon(closed)
}

async function closing(source) {
  await source.return?.()
}

module.exports = { closeSource, settlesSoon }
