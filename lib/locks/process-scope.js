'use strict'

// What semaphores that threads share need beside the others: to hear of grants made by other
// threads, to keep a thread alive that waits for one, and an identity that all threads agree on.

const core = require('../native/core.js')
const { answerOf, warnOfFault } = require('../native/faults.js')
const { freeLoop, holdLoop } = require('../native/keep-alive.js')
const { invalid } = require('../base/validate.js')
const { wake } = require('./waiters.js')

/** On an owner: the number by which all threads know its semaphore. Absent on others. */
const SHARED = Symbol('shared')

function isShared(scope) {
  if (scope !== undefined && scope !== 'thread' && scope !== 'process')
    throw invalid('scope', scope, "'thread' or 'process'")
  return scope === 'process'
}

let connected = false

/** Asks to be told of the grants by other threads, when something here waits for the first time. */
function connect() {
  if (connected) return
  connected = true
  // Not in the caller's stack: it lasts as long as this thread, and tools that look for what a test
  // left open would take it for something of the test.
  Promise.resolve().then(() => {
    try {
      core.connect(granted)
    } catch (error) {
      connected = false
      warnOfFault(error)
    }
    // What came before there was a bell.
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

/** Leases the semaphore that all threads have under that id; 0 when `limit` is none. */
function leaseShared(synchronizerId, limit) {
  table ??= core.openSpace('synchronizers')
  return core.leaseKey(table, synchronizerId, limit)
}

/** What re-entry is told by. */
function identityOf(owner) {
  return owner[SHARED] ?? owner
}

/** How many wait for each semaphore here, by its handle. */
const waiting = new Map()
/** Those of them that another thread holds a permit of. */
const awaited = new Set()
/** Whether those hold the event loop. */
let holds = false

/** Nothing else in this thread need be pending while another one has the permit. */
function holdLoopDuring(wait, handle) {
  connect()
  // Once the caller awaits it: what waited starts first then, and the bookkeeping comes after.
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
 * Called when a permit may have come here from another thread, or gone there. While this thread has
 * all permits itself it waits for nobody else, and may end as it may with semaphores of its own.
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
    // Nobody may end for it.
    warnOfFault(error)
    return true
  }
}

module.exports = { SHARED, holdLoopDuring, identityOf, isShared, leaseShared, updateLoop }
