'use strict'

// An async iterator over what a native job makes: a chunk is asked for when the values of the last one are used up.
//
// The iterator is hand-written, so that `return()` ends a `next()` that waits for a stuck file instead of queueing behind
// that call. A subclass says how the job is opened and what its chunks hold. Errors of the job are best made within
// `receive` and `failureAtEnd`, where whoever awaits `next()` is in their stack.

const { onAbort, offAbort } = require('../base/abort.js')
const { CLOSE, ClosableIterator } = require('./closable-iterator.js')
const { isTurnOver, nextTurn } = require('../base/fairness.js')
const { openJob } = require('../native/job.js')

class JobIterator extends ClosableIterator {
  #open
  #signal
  #job
  #values = []
  #position = 0
  /** Whether the job was opened and not closed by this iterator. */
  #isOpen = false
  /** The error to tell when the values are used up, as `{ error }`. */
  #failure
  #done = false
  /** Settles with the last of the calls of `next()`, which are served one after the other. @type {Promise<void>} */
  #line = Promise.resolve()
  #waiting = 0
  /** How many values were given since the last call of `advance`. */
  #given = 0
  #onAbort = () => this.#aborted()

  /** `open` starts the job at the first `next()`. */
  constructor(open, signal) {
    super()
    this.#open = open
    this.#signal = signal
  }

  next() {
    if (this.#given >= this.advanceEvery) this.#advance()
    if (this.#waiting === 0 && this.#position < this.#values.length) {
      return Promise.resolve({ done: false, value: this.#shift() })
    }
    return this.#stepInLine()
  }

  /** An async function, so that whoever awaits `next()` is in the stack of its error. */
  async #stepInLine() {
    const before = this.#line
    /** @type {() => void} */
    let leave = () => {}
    this.#line = new Promise((resolve) => {
      leave = () => resolve()
    })
    this.#waiting++
    try {
      await before
      return await this.#step()
    } finally {
      this.#waiting--
      leave()
    }
  }

  openJob(open, ...args) {
    return openJob(open, ...args)
  }

  /** The iteration ends with this error, after the values before it. */
  fail(error) {
    this.#failure ??= { error }
  }

  /** The iteration ends with this error, after the values before it, and the job ends at once. */
  breakOff(error) {
    this.fail(error)
    this.#endJob()
    return null
  }

  /** The job ends at once, and the iteration after the values before. */
  closeJob() {
    this.#leaveSignal()
    this.#endJob()
  }

  /**
   * Ends an iteration that has not begun, for whoever does the job's work in another way. Tells whether there is one.
   */
  giveAway() {
    if (this.#job !== undefined || this.#done) return false
    this.#done = true
    return true
  }

  /** The values in a chunk. @returns {any[]} */
  receive(_chunk) {
    return []
  }

  /** After how many values the job may be given more, while there are others to give. */
  advanceEvery = Infinity

  /** So many values were given since the last call, and more may be given to the job. */
  advance(_given) {}

  /** The error, as `{ error }`, to tell after all that the job gave. @returns {{ error: unknown } | undefined} */
  failureAtEnd() {
    return undefined
  }

  /** The job, which was opened, is closed. */
  jobEnded() {}

  /** The iteration is over; resolves when what the job read from is closed. */
  async closeSource() {}

  async #step() {
    while (this.#position === this.#values.length) {
      if (this.#done) return { done: true, value: undefined }
      if (this.#failure !== undefined) return this.#reject()
      const chunk = await this.#nextChunk().catch((error) => this.breakOff(error))
      if (this.#done || this.#failure !== undefined) continue
      if (chunk === null) await this.#over()
      else {
        this.#values = this.receive(chunk)
        this.#position = 0
      }
    }
    return { done: false, value: this.#shift() }
  }

  #advance() {
    const given = this.#given
    this.#given = 0
    if (this.#failure === undefined) this.advance(given)
  }

  async #nextChunk() {
    if (this.#job !== undefined) this.#advance()
    if (isTurnOver()) {
      await new Promise((resolve) => nextTurn(() => resolve(undefined)))
      if (this.#done || this.#failure !== undefined) return null
    }
    if (this.#signal?.aborted) return this.#aborted()
    if (this.#job === undefined) {
      this.#job = this.#open()
      this.#isOpen = true
      if (this.#signal !== undefined) onAbort(this.#signal, this.#onAbort)
      this.#advance()
    }
    return this.#job.next()
  }

  #shift() {
    const value = this.#values[this.#position]
    this.#values[this.#position++] = undefined
    this.#given++
    return value
  }

  async #over() {
    this.#failure = this.failureAtEnd()
    if (this.#failure === undefined) await this[CLOSE]()
  }

  async #reject() {
    const { error } = this.#failure
    await this[CLOSE]()
    throw error
  }

  #aborted() {
    this.#values = []
    this.#position = 0
    return this.breakOff(this.#signal.reason)
  }

  async [CLOSE]() {
    if (this.#done) return
    this.#done = true
    this.#values = []
    this.#position = 0
    this.#leaveSignal()
    this.#endJob()
    await this.closeSource()
  }

  #leaveSignal() {
    if (this.#job !== undefined && this.#signal !== undefined) offAbort(this.#signal, this.#onAbort)
  }

  #endJob() {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#job.close()
    this.jobEnded()
  }
}

module.exports = { JobIterator }
