'use strict'

// The promises of those who wait for a permit, found by the ticket that the core gave them.

const { AsyncResource } = require('node:async_hooks')
const core = require('./core.js')
const { onAbort, offAbort } = require('./abort.js')
const { answerOf, warnOfFault } = require('./faults.js')
const { startTimer } = require('./timer.js')

const GRANTED = 0
const TIMED_OUT = 1
const ABORTED = 2

/** Arrays that empty below this length are kept: they will likely fill again. */
const KEEP = 1024

// The core recycles tickets, so this array is as long as most ever waited at once.
let wakers = []
let waiting = 0

function put(ticket, waker) {
  wakers[ticket] = waker
  waiting++
}

function take(ticket) {
  const waker = wakers[ticket]
  wakers[ticket] = undefined
  if (--waiting === 0 && wakers.length > KEEP) wakers = []
  return waker
}

/** Calls `waiter.granted()` on the grant, whatever the async context is then. */
function waitWith(ticket, waiter) {
  put(ticket, waiter)
}

/** Waits for the grant. `onJoin` is called first; a listener behind it may well give the permit at once. */
function wait(ticket, onJoin) {
  return new Promise((resolve) => {
    put(ticket, resolve)
    onJoin?.()
  })
}

/**
 * Waits for the grant, the end of `timeout` milliseconds or an abort, and tells which came first.
 * `onJoin` is called first, as in `wait`; `onLeave` is called the moment one of the last two ends the wait, in the caller's async context.
 */
function waitWithin(ticket, timeout, signal, onJoin, onLeave) {
  return new Promise((resolve) => {
    let stopTimer
    let over = false
    const settle = (outcome) => {
      over = true
      stopTimer?.()
      if (signal !== undefined) offAbort(signal, onSignal)
      resolve(outcome)
    }
    const leave = (outcome) => {
      let end = outcome
      try {
        if (!core.cancel(ticket)) return
      } catch (error) {
        // The permit was granted, or the core can't tell: the wait goes on.
        if (answerOf(error) !== true) return warnOfFault(error)
        end = Promise.reject(error)
      }
      take(ticket)
      onLeave?.(outcome)
      settle(end)
    }
    // A signal calls back in the context of whoever aborts, unlike a timer.
    const onSignal = onLeave === undefined ? () => leave(ABORTED) : AsyncResource.bind(() => leave(ABORTED))
    put(ticket, () => settle(GRANTED))
    onJoin?.()
    if (over) return
    if (signal !== undefined) onAbort(signal, onSignal)
    if (timeout === undefined) return
    if (timeout > 0) stopTimer = startTimer(timeout, () => leave(TIMED_OUT))
    else leave(TIMED_OUT)
  })
}

/** Tells the waiter of `ticket` that it has the permit; 0 is nobody. */
function wake(ticket) {
  if (ticket === 0) return
  const waker = take(ticket)
  if (typeof waker === 'function') waker()
  else waker.granted()
}

/**
 * Gives a permit back in one of the two ways of the core, and wakes who has it now. Should the core panic, it has gone on
 * all the same.
 */
function giveBack(way, handle) {
  try {
    wake(way(handle))
  } catch (error) {
    wake(answerOf(error) ?? 0)
    throw error
  }
}

module.exports = { GRANTED, TIMED_OUT, ABORTED, giveBack, wait, waitWith, waitWithin, wake }
