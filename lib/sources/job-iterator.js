'use strict'

// An async iterator over what a native job makes: it asks for a chunk when its values are used up.
//
// Hand-written, so that `return()` ends a `next()` that waits for a stuck file instead of queueing behind it.

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
  /** The error to tell when the values are used up, as `{ error }`. */
  #failure
  /** The error to tell when the job is over, as `{ error }`. */
  #lastFailure
  #done = false
  /** Calls of `next()` are served one after the other. */
  /** @type {Promise<void>} */
  #line = Promise.resolve()
  #waiting = 0
  /** Values given since `advance` was told. */
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

  /** The iteration ends with this error, after all that the job still gives. */
  failAtEnd(error) {
    this.#lastFailure ??= { error }
  }

  /** The iteration ends with this error, and the job with it. */
  breakOff(error) {
    this.fail(error)
    this.#job?.close()
    return null
  }

  /** The values in a chunk. @returns {any[]} */
  receive(_chunk) {
    return []
  }

  /** After how many values the job may be given more, while there are others to give. */
  advanceEvery = Infinity

  /** So many values were given since the last call, and more may be given to the job. */
  advance(_given) {}

  /** All is over; resolves when what was opened is closed. */
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
    if (this.#job === undefined) {
      if (this.#signal?.aborted) return this.#aborted()
      this.#job = this.#open()
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
    if (this.#lastFailure === undefined) return this[CLOSE]()
    this.#failure = this.#lastFailure
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
    if (this.#job !== undefined && this.#signal !== undefined) offAbort(this.#signal, this.#onAbort)
    this.#job?.close()
    await this.closeSource()
  }
}

module.exports = { JobIterator }
