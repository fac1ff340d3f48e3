'use strict'

// The waits for permits, by the tickets that the core gave them.
//
// The core uses a ticket again as soon as its waiter was granted the permit or has left the queue. So a waiter that has
// settled never acts on its ticket again, and nothing that may throw stands between a grant and its waiter: the waiter
// settles first, and then tidies up, which throws nothing.

const { AsyncResource } = require('node:async_hooks')
const core = require('../native/core.js')
const { onAbort, offAbort } = require('../base/abort.js')
const { answerOf, warnOfFault } = require('../native/faults.js')
const { startTimer } = require('../base/timer.js')

const GRANTED = 0
const TIMED_OUT = 1
const ABORTED = 2

/** An array that becomes empty is kept up to this length, since it will likely fill again. */
const KEEP = 1024

// The core uses tickets again, so this array is as long as the most waiters at one time.
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

/**
 * Calls `waiter.granted()` on the grant, in the async context of whoever gave the permit. The method must not throw.
 */
function waitWith(ticket, waiter) {
  put(ticket, waiter)
}

/**
 * Waits for the grant. `onJoin` is called once the wait has begun, since a listener that it calls may give the permit
 * at once.
 */
function wait(ticket, onJoin) {
  return new Promise((resolve) => {
    put(ticket, resolve)
    onJoin?.()
  })
}

/**
 * Waits for the grant, the end of `timeout` milliseconds or an abort, and tells which came first.
 * `onJoin` is called as in `wait`. `onLeave` is called in the caller's async context, the moment that the time limit or the
 * signal ends the wait. A signal that can't be listened to ends the wait with what it threw.
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
  /** `undefined` once the wait has settled. */
  #resolve
  #onLeave
  #signal
  #onSignal
  #stopTimer

  constructor(ticket, resolve, onLeave) {
    this.#ticket = ticket
    this.#resolve = resolve
    // A signal calls back in the context of whoever aborts it, and a faked clock in the context of whoever turns it.
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
      // Unless the core took the ticket out of the queue all the same, the permit was granted or will be: the wait goes on.
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

/** Tells the waiter of `ticket` that it has the permit; 0 stands for no waiter. */
function wake(ticket) {
  if (ticket === 0) return
  const waker = take(ticket)
  if (typeof waker === 'function') waker()
  else waker.granted()
}

/**
 * Gives a permit back by `way`, which is `core.release` or `core.leave`, and wakes the waiter that has the permit now. When the
 * core panics, it has passed the permit on all the same.
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
