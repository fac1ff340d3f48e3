'use strict'

// Timers of any length, by the clock that the program sees: a test that fakes `setTimeout` also moves the time limits of
// locks. Whatever is no wait of the user takes its timers from `node:timers`. Node's own fire at once above 2 ** 31 - 1 ms.

const timers = require('node:timers')
const { tellSafely } = require('../native/faults.js')

const LONGEST = 2 ** 31 - 1
const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = timers

/** Calls `callback` after `ms`, never for Infinity. Returns what stops it. Neither throws. */
function startTimer(ms, callback) {
  let stop
  const arm = (left) => {
    stop = setTimer(() => (left > LONGEST ? arm(left - LONGEST) : callback()), Math.min(left, LONGEST))
  }
  arm(ms)
  return () => stop()
}

/** Sets a timer of the realm, and returns what clears it there, even when the clock is another one by then. */
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
    // eslint-disable-next-line no-restricted-globals -- the one place that follows a faked clock
    const { setTimeout, clearTimeout } = globalThis
    if (typeof setTimeout === 'function' && typeof clearTimeout === 'function') return { setTimeout, clearTimeout }
  } catch {
    // A realm that refuses to be asked has no clock.
  }
  return { setTimeout: realSetTimeout, clearTimeout: realClearTimeout }
}

module.exports = { LONGEST, startTimer }
