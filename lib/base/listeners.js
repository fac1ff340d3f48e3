'use strict'

// Calls listeners. What a listener throws must not disturb the work that it listens to, and must not get lost.

const { messageOf, warn } = require('../native/warning.js')

/** Calls `listener(...args)`; what it throws, now or as a promise, becomes a warning of the process. */
function notifyListener(name, listener, ...args) {
  try {
    const result = listener(...args)
    if (typeof result?.then === 'function') result.then(undefined, (error) => warnOf(name, error))
  } catch (error) {
    warnOf(name, error)
  }
}

function warnOf(name, error) {
  const warning = new Error(`${name} threw ${messageOf(error)}`, { cause: error })
  warning.name = 'SynchronizerWarning'
  warn(warning)
}

module.exports = { notifyListener }
