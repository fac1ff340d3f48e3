'use strict'

// Waits for what ends on its own, but not for ever; and asks a source to close, once.

const { clearTimeout, setTimeout } = require('node:timers')
const { warn } = require('../native/warning.js')

/** Milliseconds that a source has for its `finally` blocks; behind a stalled `next()` it never closes. */
const PATIENCE = 100

/** Settles when `promise`, which must not reject, has, or patience ends. */
function settlesSoon(promise) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE)
    promise.then(() => {
      clearTimeout(timer)
      resolve(undefined)
    })
  })
}

/** Settles when `source.return()` has, or patience ends. What it throws is a warning. */
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
