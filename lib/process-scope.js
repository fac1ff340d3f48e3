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
let waiting = 0
let timer

/** Nothing else in this thread need be pending while another one has the permit. */
async function holdLoopDuring(wait) {
  if (waiting++ === 0) timer = setInterval(() => {}, LONG)
  try {
    await wait
  } finally {
    if (--waiting === 0) clearInterval(timer)
  }
}

module.exports = { SHARED, connect, holdLoopDuring, identityOf, isShared, leaseShared }
