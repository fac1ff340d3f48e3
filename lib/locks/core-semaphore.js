'use strict'

// The plain semaphore: no events, no re-entry, and a callback that starts at once when it can.

const { AsyncResource } = require('node:async_hooks')
const core = require('../native/core.js')
const { SemaphoreHandle, closeWith } = require('../native/handles.js')
const { checkFunction, invalidLimit } = require('../base/validate.js')
const { giveBack, waitWith } = require('./waiters.js')

/** The semaphore in the core, as the integer that stands for it there. */
const HANDLE = Symbol('handle')
/** The waits for completions; absent until there is one. */
const OBSERVERS = Symbol('observers')

/** Opens a semaphore in the core for as long as `owner` lives. `create` may lease one that others use too. */
function openSemaphore(owner, name, limit, create = core.createSemaphore) {
  const id = typeof limit === 'number' ? create(limit) : 0
  if (id === 0) throw invalidLimit(name, limit)
  closeWith(owner, new SemaphoreHandle(id))
  return id
}

class CoreSemaphore {
  constructor(concurrentExecution) {
    this[HANDLE] = openSemaphore(this, 'concurrentExecution', concurrentExecution)
    this.concurrentExecution = concurrentExecution
    this[OBSERVERS] = undefined
  }

  synchronized(cb) {
    let ticket
    try {
      checkFunction('cb', cb)
      ticket = core.acquire(this[HANDLE])
    } catch (error) {
      return Promise.reject(error)
    }
    if (ticket === 0) return run(this, cb)
    return new Promise((resolve, reject) => waitWith(ticket, new Waiter(this, cb, resolve, reject)))
  }

  async waitComplete() {
    if (this.numberOfTasks > 0)
      await new Promise((resolve, reject) => observersOf(this).complete.push({ resolve, reject }))
  }

  async waitCompleteAll() {
    if (this.numberOfTasks > 0)
      await new Promise((resolve, reject) => observersOf(this).completeAll.push({ resolve, reject }))
  }

  get numberOfRunningTasks() {
    return core.held(this[HANDLE])
  }

  get numberOfTasks() {
    return core.tasks(this[HANDLE])
  }
}

/**
 * A queued callback, with its caller's async context. For a million callbacks in a queue, a promise and a suspended function
 * for each would take three times the time and memory.
 */
class Waiter extends AsyncResource {
  constructor(semaphore, cb, resolve, reject) {
    super('SemaphoreWaiter')
    this.semaphore = semaphore
    this.cb = cb
    this.resolve = resolve
    this.reject = reject
  }

  granted() {
    this.runInAsyncScope(call, undefined, this.cb).then(
      (value) => this.#end(this.resolve, value),
      (error) => this.#end(this.reject, error),
    )
  }

  #end(settle, result) {
    try {
      leave(this.semaphore)
    } catch (error) {
      return this.reject(error)
    }
    settle(result)
  }
}

/** Runs `cb` under a permit that was taken, and gives the permit back. */
function run(semaphore, cb) {
  return call(cb).then(
    (value) => {
      leave(semaphore)
      return value
    },
    (error) => {
      leave(semaphore)
      throw error
    },
  )
}

const { then } = Promise.prototype

/** For a promise with a `then` of its own, which could throw or call back twice: `await` copes with both. */
async function follow(promise) {
  return await promise
}

/**
 * The promise of what `cb` returns or throws. A callback that throws also ends in a microtask of its own: were its permit given
 * back from within, a long queue of such callbacks would overflow the stack.
 */
function call(cb) {
  try {
    const promise = Promise.resolve(cb())
    return promise.then === then ? promise : follow(promise)
  } catch (error) {
    return Promise.reject(error)
  }
}

function leave(semaphore) {
  try {
    giveBack(core.release, semaphore[HANDLE])
  } finally {
    settled(semaphore)
  }
}

function observersOf(semaphore) {
  return (semaphore[OBSERVERS] ??= { complete: [], completeAll: [] })
}

/** Resolves the waits for completions. A waiter that was woken before starts before they go on. */
function settled(semaphore) {
  const observers = semaphore[OBSERVERS]
  if (observers === undefined) return
  for (const { resolve } of observers.complete.splice(0)) resolve()
  try {
    if (core.tasks(semaphore[HANDLE]) === 0) for (const { resolve } of observers.completeAll.splice(0)) resolve()
  } catch (error) {
    for (const { reject } of observers.completeAll.splice(0)) reject(error)
  }
}

module.exports = { CoreSemaphore, HANDLE, openSemaphore, settled }
