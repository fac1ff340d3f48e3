'use strict'

// A job that goes on in Rust, as promises of its chunks. How chunks cross is told in src/node/jobs.rs.
//
// The wake-up from Rust does not hold the event loop. One timer does while somebody waits for a chunk, so that a
// process which only waits for a native job stays alive, and one that has nothing to wait for ends.

const { setInterval } = require('node:timers')
const core = require('./core.js')
const { tellSafely } = require('./faults.js')
const { closeWith } = require('./handles.js')

/** Milliseconds; the timer is there to exist, not to fire. */
const LONG = 2 ** 30

/** Those who wait for a chunk, by job. @type {Map<number, { callback: () => void, holds: boolean }>} */
const waiting = new Map()
let holding = 0
/** @type {NodeJS.Timeout | undefined} */
let holder

function wait(id, callback, holds) {
  waiting.set(id, { callback, holds })
  if (!holds || holding++ > 0) return
  holder ??= setInterval(() => {}, LONG)
  holder.ref()
}

function wake(id) {
  const waiter = waiting.get(id)
  if (waiter === undefined) return
  waiting.delete(id)
  if (waiter.holds && --holding === 0) holder?.unref()
  waiter.callback()
}

let listening = false

/** Opens a job with one of the functions of the core. */
function openJob(open, ...args) {
  if (!listening) {
    core.onJobsReady((ready) => (typeof ready === 'number' ? wake(ready) : ready.forEach(wake)))
    listening = true
  }
  return new NativeJob(open(...args))
}

class NativeJob {
  #handle

  constructor(id) {
    this.id = id
    this.#handle = new JobHandle(id)
    closeWith(this, this.#handle)
  }

  get isClosed() {
    return this.#handle.closed
  }

  /**
   * The next chunk, or `null` when there is none to come. One call at a time. The wait keeps the process alive, unless
   * `holds` is false.
   */
  async next({ holds = true } = {}) {
    for (;;) {
      const chunk = this.isClosed ? null : core.takeChunk(this.id)
      if (chunk === null) this.close()
      if (chunk !== undefined) return chunk
      await new Promise((resolve) => wait(this.id, () => resolve(undefined), holds))
    }
  }

  /** Nobody wants the rest: a call of `next()` that waits gives `null`. */
  close() {
    this.#handle.close()
  }
}

class JobHandle {
  closed = false

  constructor(id) {
    this.id = id
  }

  close() {
    if (this.closed) return
    this.closed = true
    // It is closed whatever comes of it.
    tellSafely(() => core.closeJob(this.id))
    wake(this.id)
  }
}

module.exports = { NativeJob, openJob }
