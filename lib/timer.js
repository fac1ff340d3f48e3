'use strict'

// Timers of any length. Node's own fire at once above 2 ** 31 - 1 ms.

const LONGEST = 2 ** 31 - 1

/** Calls `callback` after `ms`, never for Infinity. Returns what stops it. */
function startTimer(ms, callback) {
  let timeout
  const arm = (left) => {
    timeout = setTimeout(() => (left > LONGEST ? arm(left - LONGEST) : callback()), Math.min(left, LONGEST))
  }
  arm(ms)
  return () => clearTimeout(timeout)
}

module.exports = { LONGEST, startTimer }
