'use strict'

// What semaphores that threads share need beside the others: to hear of grants made by other
// threads, to keep a thread alive that waits for one, and an identity that all threads agree on.

const core = require('./core.js')
const { invalid } = require('./validate.js')
const { wake } = require('./waiters.js')

/** On an owner: the number by which all threads know its semaphore. Absent on others. */
const SHARED = Symbol('shared')

function isShared(scope) {
  if (scope !== undefined && scope !== 'thread' && scope !== 'process') throw invalid('scope', scope, "'thread' or 'process'")
  return scope === 'process'
}

/** Called before the first semaphore of process scope is opened. */
function connect() {
  core.connect(() => {
    for (const ticket of core.takeMail()) wake(ticket)
  })
}

/** The table of the synchronizers that threads share by their `synchronizerId`; opened by the first. */
let table

/** Leases the semaphore that all threads have under that id; 0 when `limit` is none. */
function leaseShared(synchronizerId, limit) {
  if (table === undefined) {
    connect()
    table = core.openSpace('synchronizers')
  }
  return core.leaseKey(table, synchronizerId, limit)
}

/** What re-entry is told by. */
function identityOf(owner) {
  return owner[SHARED] ?? owner
}

const LONG = 2 ** 31 - 1
/** How many wait for each semaphore here, by its handle. */
const waiting = new Map()
/** Those of them that another thread holds a permit of. */
const awaited = new Set()
let timer

/** Nothing else in this thread need be pending while another one has the permit. */
function holdLoopDuring(wait, handle) {
  waiting.set(handle, (waiting.get(handle) ?? 0) + 1)
  updateLoop(handle)
  // Beside the wait, not around it: that would make it longer than others.
  wait.then(() => {
    const left = waiting.get(handle) - 1
    if (left === 0) waiting.delete(handle)
    else waiting.set(handle, left)
    updateLoop(handle)
  })
}

/**
 * Called when a permit may have come here from another thread, or gone there. While this thread has
 * all permits itself it waits for nobody else, and may end as it may with semaphores of its own.
 */
function updateLoop(handle) {
  if (waiting.has(handle) && core.heldElsewhere(handle)) awaited.add(handle)
  else awaited.delete(handle)
  if (awaited.size > 0) {
    timer ??= setInterval(() => {}, LONG)
  } else if (timer !== undefined) {
    clearInterval(timer)
    timer = undefined
  }
}

module.exports = { SHARED, connect, holdLoopDuring, identityOf, isShared, leaseShared, updateLoop }
