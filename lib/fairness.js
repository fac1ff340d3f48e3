'use strict'

// Lets timers and I/O through while work goes on in microtasks without end.
//
// The event loop turns only when the microtasks are used up. So whoever starts work in a long row
// asks `isTurnOver` before each piece, and hands the rest to `nextTurn` when it is.

/** Milliseconds; users are promised 10, and the last piece of work takes its time too. */
const LONGEST_TURN = 5

let turnStartedAt = performance.now()

function isTurnOver() {
  return performance.now() - turnStartedAt > LONGEST_TURN
}

/** Calls back in the next turn of the event loop, in the async context of the caller. */
function nextTurn(callback) {
  setImmediate(() => {
    turnStartedAt = performance.now()
    callback()
  })
}

module.exports = { isTurnOver, nextTurn }
