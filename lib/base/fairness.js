'use strict'

// Lets timers and I/O through while work goes on in microtasks without end.
//
// The event loop turns only when the microtasks are used up. So whoever starts work in a long row
// asks `isTurnOver` before each piece, and hands the rest to `nextTurn` when it is.

const { setImmediate } = require('node:timers')
const { now: readClock } = require('./clock.js')

/** Milliseconds; users are promised 10, and the last pieces of work take their time too. */
const LONGEST_TURN = 5
/** Milliseconds between two looks at the clock, which is dear beside a piece of work that does little. */
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
  // At the pace of late, so many pieces fit between two looks.
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
