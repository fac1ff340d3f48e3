'use strict'

// Keeps the event loop, and with it the thread, alive while somebody here waits for what only another thread can bring.
//
// No wake-up from Rust does that. One timer serves all who wait, and is kept for good: to set and clear a timer for each
// wait took a fifth of the time in which a permit crosses from thread to thread.

const { setInterval } = require('node:timers')

/** Milliseconds, as long as Node.js allows: the timer is there to exist, not to fire. */
const LONG = 2 ** 31 - 1

let holders = 0
/** @type {NodeJS.Timeout | undefined} */
let timer

/** The loop goes on until `freeLoop` was called as often as this. */
function holdLoop() {
  if (holders++ > 0) return
  timer ??= setInterval(() => {}, LONG)
  timer.ref()
}

function freeLoop() {
  if (--holders === 0) timer?.unref()
}

module.exports = { freeLoop, holdLoop }
