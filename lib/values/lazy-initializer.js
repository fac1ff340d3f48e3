'use strict'

// A value made by the first who asks for it.

const { SynchronizerInvalidError, SynchronizerReentrantExecutionError } = require('../base/errors.js')
const { activeMarks } = require('../locks/reentry.js')
const { Semaphore } = require('../locks/semaphore.js')
const { checkFunction } = require('../base/validate.js')

/** The initializer whose factory runs under a semaphore, which finds initializers that need each other. */
const initializerOf = new WeakMap()

class LazyInitializer {
  #semaphore = new Semaphore(1, true)
  #value
  #loading
  /** The initializers that this one's factory waits for. */
  #waitsFor = new Set()

  constructor(factory, eager) {
    checkFunction('factory', factory)
    this.factory = factory
    this.eager = eager
    initializerOf.set(this.#semaphore, this)
    // A later call of `get` tells the failure, which must be no unhandled rejection until then.
    if (eager) this.get().catch(() => {})
  }

  async get() {
    if (this.#value !== undefined) return this.#value
    const waiting = []
    for (const { semaphore } of activeMarks()) {
      const initializer = initializerOf.get(semaphore)
      if (initializer === undefined) continue
      if (initializer === this || this.#needs(initializer)) throw new SynchronizerReentrantExecutionError()
      waiting.push(initializer)
    }
    for (const initializer of waiting) initializer.#waitsFor.add(this)
    try {
      this.#loading ??= this.#load()
      return await this.#loading
    } finally {
      for (const initializer of waiting) initializer.#waitsFor.delete(this)
    }
  }

  #needs(other) {
    for (const initializer of this.#waitsFor) {
      if (initializer === other || initializer.#needs(other)) return true
    }
    return false
  }

  async #load() {
    try {
      const value = await this.#semaphore.synchronized(() => this.factory())
      if (value === undefined)
        throw new SynchronizerInvalidError('The factory of a LazyInitializer must give a value other than undefined')
      this.#value = value
      return value
    } finally {
      this.#loading = undefined
    }
  }
}

module.exports = { LazyInitializer }
