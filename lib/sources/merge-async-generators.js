'use strict'

// Several async generators as one, in the order in which they speak.
//
// A hand-written iterator: a generator function could not be closed while it waits for the next
// value, and racing promises would keep every value that ever lost against a silent source.

const { CLOSE, ClosableIterator } = require('./closable-iterator.js')
const { invalid } = require('../base/validate.js')
const { closeSource } = require('./close-source.js')
const { checkResult, toIterator } = require('./task-sources.js')

class MergedGenerator extends ClosableIterator {
  /** @type {Set<AsyncIterator<unknown>>} */
  #open
  #started = false
  /** What sources gave that nobody asked for yet: at most one entry for each of them. */
  #ready = []
  /** Those whose value was taken: asked for another when somebody wants one. */
  #resting = []
  /** Calls of `next()` that wait. */
  #pending = []
  /** The error that ended it, until somebody was told. */
  #failure
  #closing

  constructor(sources) {
    super()
    this.#open = new Set(sources)
  }

  next() {
    if (!this.#started) {
      this.#started = true
      this.#resting = [...this.#open]
    }
    this.#wakeUp()
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject })
      this.#serve()
    })
  }

  #wakeUp() {
    for (const source of this.#resting.splice(0)) this.#pull(source)
  }

  #pull(source) {
    let next
    try {
      next = Promise.resolve(source.next())
    } catch (error) {
      next = Promise.reject(error)
    }
    next.then((result) => this.#arrived(source, result), (error) => this.#failed(source, error))
  }

  #arrived(source, result) {
    if (this.#closing !== undefined) return
    try {
      checkResult(result)
      if (result.done) this.#open.delete(source)
      else this.#ready.push({ source, value: result.value })
    } catch (error) {
      return this.#failed(source, error)
    }
    this.#serve()
  }

  #failed(source, error) {
    this.#open.delete(source)
    if (this.#closing !== undefined) return
    // The first error is told: a later one may be but what the first led to.
    this.#failure ??= { error }
    this.#serve()
  }

  #serve() {
    while (this.#pending.length > 0 && this.#ready.length > 0) {
      const { source, value } = this.#ready.shift()
      this.#pending.shift().resolve({ done: false, value })
      this.#resting.push(source)
    }
    if (this.#pending.length === 0) return
    this.#wakeUp()
    if (this.#failure !== undefined) this.#fail()
    else if (this.#open.size === 0 || this.#closing !== undefined) this.#finish()
  }

  /** The others are closed before the error is told, as at the end of a `for await`. */
  #fail() {
    const { error } = this.#failure
    this.#failure = undefined
    const { reject } = this.#pending.shift()
    this[CLOSE]().then(() => reject(error))
  }

  #finish() {
    for (const { resolve } of this.#pending.splice(0)) resolve({ done: true, value: undefined })
  }

  [CLOSE]() {
    if (this.#closing === undefined) {
      const sources = [...this.#open]
      this.#open.clear()
      this.#ready = []
      this.#resting = []
      this.#closing = Promise.all(sources.map(closeSource))
      this.#finish()
    }
    return this.#closing
  }
}

function mergeAsyncGenerators(generators) {
  if (typeof generators?.[Symbol.iterator] !== 'function') throw invalid('generators', generators, 'an array of async generators')
  return new MergedGenerator([...generators].map((generator) => toIterator('Each of generators', generator)))
}

module.exports = { mergeAsyncGenerators }
