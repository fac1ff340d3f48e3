'use strict'

// What a semaphore needs when threads share it: grants by other threads are heard of, a thread stays alive while it waits
// for one, and re-entry goes by an identity that all threads agree on.

const core = require('../native/core.js')
const { answerOf, warnOfFault } = require('../native/faults.js')
const { freeLoop, holdLoop } = require('../native/keep-alive.js')
const { invalid } = require('../base/validate.js')
const { wake } = require('./waiters.js')

/**
 * The property of an owner that has the number by which all threads know its semaphore; `undefined` for a semaphore of
 * one thread.
 */
const SHARED = Symbol('shared')

function isShared(scope) {
  if (scope !== undefined && scope !== 'thread' && scope !== 'process')
    throw invalid('scope', scope, "'thread' or 'process'")
  return scope === 'process'
}

let connected = false

/** Asks to be told of the grants by other threads, when this thread waits for the first time. */
function connect() {
  if (connected) return
  connected = true
  // The connection lasts as long as this thread. Made in the caller's stack, tools that look for what a test left open would
  // take it for something of the test.
  Promise.resolve().then(() => {
    try {
      core.connect(granted)
    } catch (error) {
      connected = false
      warnOfFault(error)
    }
    // These grants came before the core could tell of them.
    granted(takeMail())
  })
}

function granted(tickets) {
  if (typeof tickets === 'number') return wake(tickets)
  for (const ticket of tickets) wake(ticket)
}

function takeMail() {
  try {
    return core.takeMail()
  } catch (error) {
    warnOfFault(error)
    return answerOf(error) ?? []
  }
}

/** The table of the synchronizers that threads share by their `synchronizerId`; opened by the first. */
let table

/** Leases the semaphore that all threads have under that id. Returns 0 when `limit` is no limit. */
function leaseShared(synchronizerId, limit) {
  table ??= core.openSpace('synchronizers')
  return core.leaseKey(table, synchronizerId, limit)
}

/** What tells the semaphore of `owner` from others when a section is entered again. */
function identityOf(owner) {
  return owner[SHARED] ?? owner
}

/** How many waits of this thread each semaphore has, by its handle. */
const waiting = new Map()
/** The handles of those semaphores among them of which another thread holds a permit. */
const awaited = new Set()
/** Whether the event loop is held for them. */
let holds = false

/** Keeps this thread alive during `wait` while another thread has a permit, even when nothing else is pending here. */
function holdLoopDuring(wait, handle) {
  connect()
  // By then the caller awaits the promise: so its section starts first, and the bookkeeping comes after.
  Promise.resolve().then(() => {
    waiting.set(handle, (waiting.get(handle) ?? 0) + 1)
    updateLoop(handle)
    const over = () => waitIsOver(handle)
    wait.then(over, over)
  })
}

function waitIsOver(handle) {
  const left = waiting.get(handle) - 1
  if (left === 0) waiting.delete(handle)
  else waiting.set(handle, left)
  updateLoop(handle)
}

/**
 * To be called when a permit may have passed between this thread and another. While this thread has all permits itself, it
 * waits for no other, and may end as a thread may that waits for a semaphore of its own.
 */
function updateLoop(handle) {
  if (waiting.has(handle) && isHeldElsewhere(handle)) awaited.add(handle)
  else awaited.delete(handle)
  const isAwaiting = awaited.size > 0
  if (isAwaiting === holds) return
  holds = isAwaiting
  if (holds) holdLoop()
  else freeLoop()
}

function isHeldElsewhere(handle) {
  try {
    return core.heldElsewhere(handle)
  } catch (error) {
    // A thread must not end because the core can't tell.
    warnOfFault(error)
    return true
  }
}

module.exports = { SHARED, holdLoopDuring, identityOf, isShared, leaseShared, updateLoop }
