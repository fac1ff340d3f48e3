'use strict'

// Asks a source to close, once, and waits for it, but not for ever.

const { clearTimeout, setTimeout } = require('node:timers')
const { warn } = require('./warning.js')

/** Milliseconds that a source has for its `finally` blocks; behind a stalled `next()` it never closes. */
const PATIENCE = 100

/** Settles when `source.return()` has, or patience ends. What it throws is a warning. */
function closeSource(source) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE)
    const done = () => {
      clearTimeout(timer)
      resolve(undefined)
    }
    closing(source).then(done, (error) => {
      warn(new Error('A source failed while it was closed', { cause: error }))
      done()
    })
  })
}

async function closing(source) {
  await source.return?.()
}

module.exports = { closeSource }
