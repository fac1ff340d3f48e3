'use strict'

// Merges async generators into one that gives their values in the order in which they come.
//
// The iterator is hand-written: a generator function could not be closed while it waits for the next value, and a race of
// promises would keep every value that ever lost against a silent source.

const { CLOSE, ClosableIterator } = require('./closable-iterator.js')
const { invalid } = require('../base/validate.js')
const { closeSource } = require('./close-source.js')
const { checkResult, toIterator } = require('./task-sources.js')

class MergedGenerator extends ClosableIterator {
  /** @type {Set<AsyncIterator<unknown>>} */
  #open
  #started = false
  /** The values that nobody asked for yet: at most one of each source. */
  #ready = []
  /** The sources whose last value was taken; each is asked for another when somebody wants one. */
  #resting = []
  /** The calls of `next()` that wait. */
  #pending = []
  /** The error that ended the iteration, as `{ error }`, until a call of `next()` has told it. */
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
    next.then(
      (result) => this.#arrived(source, result),
      (error) => this.#failed(source, error),
    )
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
    // Only the first error is told, since it may have caused the later ones.
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

  /** Closes the other sources before the error is told, as the end of a `for await` does. */
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
  if (typeof generators?.[Symbol.iterator] !== 'function')
    throw invalid('generators', generators, 'an array of async generators')
  return new MergedGenerator([...generators].map((generator) => toIterator('Each of generators', generator)))
}

module.exports = { mergeAsyncGenerators }
