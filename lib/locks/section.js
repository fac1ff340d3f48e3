'use strict'

// One section under a semaphore: admission, the events on the way, the callback, the release.
//
// `owner` is a Semaphore or a Synchronizer, which has the handle of the semaphore in the core. `call` tells of this execution:
//   signal, timeout, throttle, isCanceled   how the execution may wait
//   context                                 what errors name
//   notify(type)                            is told of each event; `undefined` when nobody listens
//
// The code after each `await` runs in the async context of the caller, so listeners, callbacks and errors belong to the
// caller, and not to whoever released the permit. All kinds of waits have the same number of microtasks between the grant
// and the callback, so that callbacks start in the order of the grants.

const core = require('../native/core.js')
const {
  SynchronizerError,
  SynchronizerReentrantExecutionError,
  SynchronizerThrottleError,
  SynchronizerTimeoutError,
} = require('../base/errors.js')
const { createMark, innermost, isAmong, isInside, runInside } = require('./reentry.js')
const { HANDLE, settled } = require('./core-semaphore.js')
const { SHARED, holdLoopDuring, identityOf, updateLoop } = require('./process-scope.js')
const { TIMED_OUT, ABORTED, giveBack, wait, waitWithin } = require('./waiters.js')

/**
 * To await this promise makes one promise less than to await `undefined`; inside an AsyncLocalStorage that is a tenth
 * of a section.
 */
const READY = Promise.resolve()

/**
 * Takes a permit or a place in the queue, in the order of the calls. The caller awaits the result, and gives the outcome to
 * `admitted`.
 */
function admit(owner, call) {
  const { notify, signal, timeout } = call
  if (signal?.aborted) throw signal.reason
  const handle = owner[HANDLE]
  if (call.throttle) {
    if (!core.tryAcquire(handle)) {
      notify?.('Throttle')
      throw new SynchronizerThrottleError(call.context)
    }
    notify?.('Acquire')
    return READY
  }
  const ticket = core.acquire(handle)
  const onJoin = notify && (() => notify('Acquire'))
  if (ticket === 0) {
    onJoin?.()
    return READY
  }
  const bounded = timeout !== undefined || signal !== undefined
  const waiting = bounded ? waitWithin(ticket, timeout, signal, onJoin, onLeaveOf(call)) : wait(ticket, onJoin)
  if (owner[SHARED]) holdLoopDuring(waiting, handle)
  return waiting
}

function onLeaveOf({ notify }) {
  return notify && ((outcome) => notify(outcome === TIMED_OUT ? 'Timeout' : 'Cancel'))
}

/** Enters the section, unless the wait ended without a permit, or the execution was called off meanwhile. */
function admitted(owner, call, outcome) {
  const { context, isCanceled, notify, signal } = call
  if (outcome === TIMED_OUT) throw new SynchronizerTimeoutError(context)
  if (outcome === ABORTED) throw signal.reason
  try {
    if (signal?.aborted) throw signal.reason
    if (isCanceled?.()) throw new SynchronizerError({ code: 'Cancel', context })
    core.enter(owner[HANDLE])
  } catch (error) {
    try {
      giveUp(owner, core.release)
    } finally {
      notify?.('Cancel')
      settled(owner)
    }
    throw error
  }
  notify?.('Acquired')
}

/** Gives a permit back by `core.release`, or by `core.leave` when its section had begun. */
function giveUp(owner, way) {
  try {
    giveBack(way, owner[HANDLE])
  } finally {
    if (owner[SHARED]) updateLoop(owner[HANDLE])
  }
}

function leave(owner, call) {
  const { notify } = call
  try {
    giveUp(owner, core.leave)
  } finally {
    notify?.('Release')
    notify?.('Finish')
    settled(owner)
  }
}

/**
 * Runs `callback` under a permit of `owner`, with `argument`, or without one with whether the section was entered
 * again.
 */
async function runSection(owner, callback, argument, call) {
  const identity = identityOf(owner)
  let outer = innermost()
  while (isAmong(outer, identity)) {
    if (owner.raiseOnReentrant) throw new SynchronizerReentrantExecutionError(call.context)
    if (call.signal?.aborted) throw call.signal.reason
    await READY
    // The outer section may have ended in the meantime.
    if (isInside(identity)) return reenter(callback, argument, call)
    outer = innermost()
  }
  admitted(owner, call, await admit(owner, call))
  const mark = createMark(identity, outer)
  try {
    return await runInside(mark, callback, argument ?? false)
  } finally {
    mark.active = false
    leave(owner, call)
  }
}

async function reenter(callback, argument, call) {
  const { notify } = call
  notify?.('Enter')
  try {
    return await callback(argument ?? true)
  } finally {
    notify?.('Exit')
    notify?.('Finish')
  }
}

module.exports = { admit, admitted, leave, runSection }
