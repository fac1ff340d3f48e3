'use strict'

// The promises of those who wait for a permit, found by the ticket that the core gave them.
//
// The core uses a ticket again as soon as its waiter was granted the permit or has left the queue. So a waiter
// that has settled never acts on its ticket again, and nothing that may throw stands between a grant and its waiter:
// the waiter settles first, and whatever is to be tidied up comes after and throws nothing.

const { AsyncResource } = require('node:async_hooks')
const core = require('../native/core.js')
const { onAbort, offAbort } = require('../base/abort.js')
const { answerOf, warnOfFault } = require('../native/faults.js')
const { startTimer } = require('../base/timer.js')

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

/** Calls `waiter.granted()` on the grant, whatever the async context is then. It must not throw. */
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
 * A signal that can't be listened to ends the wait with what it threw.
 */
function waitWithin(ticket, timeout, signal, onJoin, onLeave) {
  return new Promise((resolve) => {
    const waiter = new BoundedWaiter(ticket, resolve, onLeave)
    put(ticket, waiter)
    onJoin?.()
    waiter.endOnAbort(signal)
    waiter.endAfter(timeout)
  })
}

class BoundedWaiter {
  #ticket
  /** Absent once it has settled. */
  #resolve
  #onLeave
  #signal
  #onSignal
  #stopTimer

  constructor(ticket, resolve, onLeave) {
    this.#ticket = ticket
    this.#resolve = resolve
    // A signal calls back in the context of whoever aborts, and a faked clock in that of whoever turns it.
    this.#onLeave = onLeave && AsyncResource.bind(onLeave)
  }

  granted() {
    this.#settle(GRANTED)
  }

  endOnAbort(signal) {
    if (this.#resolve === undefined || signal === undefined) return
    this.#signal = signal
    this.#onSignal = () => this.#leave(ABORTED)
    try {
      onAbort(signal, this.#onSignal)
    } catch (error) {
      this.#leave(ABORTED, { error })
    }
  }

  endAfter(ms) {
    if (this.#resolve === undefined || ms === undefined) return
    if (!(ms > 0)) return this.#leave(TIMED_OUT)
    const stop = startTimer(ms, () => this.#leave(TIMED_OUT))
    // A faked clock may have called back at once.
    if (this.#resolve === undefined) stop()
    else this.#stopTimer = stop
  }

  #leave(outcome, failure) {
    if (this.#resolve === undefined) return
    let fault = failure
    try {
      if (!core.cancel(this.#ticket)) return
    } catch (error) {
      // The permit was granted, or the core can't tell: the wait goes on.
      if (answerOf(error) !== true) return warnOfFault(error)
      fault = { error }
    }
    take(this.#ticket)
    this.#settle(fault === undefined ? outcome : Promise.reject(fault.error))
    this.#onLeave?.(outcome)
  }

  #settle(outcome) {
    const resolve = this.#resolve
    this.#resolve = undefined
    resolve(outcome)
    this.#stopTimer?.()
    if (this.#signal !== undefined) offAbort(this.#signal, this.#onSignal)
  }
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
  let ticket
  try {
    ticket = way(handle)
  } catch (error) {
    wake(answerOf(error) ?? 0)
    throw error
  }
  wake(ticket)
}

module.exports = { GRANTED, TIMED_OUT, ABORTED, giveBack, wait, waitWith, waitWithin, wake }
