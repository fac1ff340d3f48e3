'use strict'

// A job that goes on in Rust, as promises of its chunks. src/node/jobs.rs tells how chunks cross.
//
// A process that only waits for a chunk stays alive, and one that has nothing to wait for ends: each wait holds the event
// loop by itself, unless it is told not to.

const core = require('./core.js')
const { tellSafely } = require('./faults.js')
const { closeWith } = require('./handles.js')
const { freeLoop, holdLoop } = require('./keep-alive.js')

/** Those who wait for a chunk, by job. @type {Map<number, { callback: () => void, holds: boolean }>} */
const waiting = new Map()

function wait(id, callback, holds) {
  waiting.set(id, { callback, holds })
  if (holds) holdLoop()
}

function wake(id) {
  const waiter = waiting.get(id)
  if (waiter === undefined) return
  waiting.delete(id)
  if (waiter.holds) freeLoop()
  waiter.callback()
}

let listening = false

/** Opens a job with `open`, one of the functions of the core that give the integer of a job. */
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

  /** Nobody wants the rest of the chunks: a call of `next()` that waits gives `null`. */
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
    // A job is closed in the core even when telling so panics there.
    tellSafely(() => core.closeJob(this.id))
    wake(this.id)
  }
}

module.exports = { NativeJob, openJob }
