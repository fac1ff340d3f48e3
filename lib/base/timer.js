'use strict'

// Timers of any length, for the waits of users. They go by the clock that the program sees, so that a test which fakes
// `setTimeout` also moves the time limits of locks. Timers for other purposes come from `node:timers`.

const timers = require('node:timers')
const { tellSafely } = require('../native/faults.js')

/** Milliseconds; above them, a timer of Node.js fires at once. */
const LONGEST = 2 ** 31 - 1
const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = timers

/**
 * Calls `callback` after `ms`, or never when that is Infinity. Returns a function that stops the timer. Neither throws.
 */
function startTimer(ms, callback) {
  let stop
  const arm = (left) => {
    stop = setTimer(() => (left > LONGEST ? arm(left - LONGEST) : callback()), Math.min(left, LONGEST))
  }
  arm(ms)
  return () => stop()
}

/**
 * Sets a timer of the realm. Returns a function that clears the timer by the same clock, even when the realm has
 * another one by then.
 */
function setTimer(callback, ms) {
  const { setTimeout, clearTimeout } = clockOfRealm()
  try {
    const timer = setTimeout(callback, ms)
    return () => tellSafely(() => clearTimeout(timer))
  } catch {
    const timer = realSetTimeout(callback, ms)
    return () => realClearTimeout(timer)
  }
}

function clockOfRealm() {
  try {
    // eslint-disable-next-line no-restricted-globals -- no other file follows a faked clock
    const { setTimeout, clearTimeout } = globalThis
    if (typeof setTimeout === 'function' && typeof clearTimeout === 'function') return { setTimeout, clearTimeout }
  } catch {
    // A realm whose globals can't be read counts as one without a clock.
  }
  return { setTimeout: realSetTimeout, clearTimeout: realClearTimeout }
}

module.exports = { LONGEST, startTimer }
