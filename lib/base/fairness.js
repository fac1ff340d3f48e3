'use strict'

// Lets timers and I/O through while work goes on in microtasks without end.
//
// The event loop turns only when no microtask is left. So whoever starts many pieces of work in a row asks `isTurnOver` before
// each piece, and once that is true hands the rest of the work to `nextTurn`.

const { setImmediate } = require('node:timers')
const { now: readClock } = require('./clock.js')

/** Milliseconds. Users are promised turns of at most 10 ms, and the last piece of work takes its time too. */
const LONGEST_TURN = 5
/** Milliseconds between two looks at the clock, since a look takes long beside a short piece of work. */
const LOOK_EVERY = 0.25
const MOST_BETWEEN_LOOKS = 16

let turnStartedAt = readClock()
let lookedAt = turnStartedAt
let betweenLooks = 1
let untilLook = 0

function isTurnOver() {
  if (untilLook > 0) {
    untilLook--
    return false
  }
  const now = readClock()
  // The number of pieces between two looks, at the pace of the last ones.
  const fit = (betweenLooks * LOOK_EVERY) / (now - lookedAt)
  betweenLooks = Math.max(1, Math.min(fit, betweenLooks * 2, MOST_BETWEEN_LOOKS))
  lookedAt = now
  if (now - turnStartedAt > LONGEST_TURN) return true
  untilLook = Math.floor(betweenLooks) - 1
  return false
}

/** Calls back in the next turn of the event loop, in the async context of the caller. */
function nextTurn(callback) {
  setImmediate(() => {
    turnStartedAt = readClock()
    callback()
  })
}

module.exports = { isTurnOver, nextTurn }
