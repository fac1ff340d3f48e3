'use strict'

// What all async iterators of the package have in common: every way to end one early closes it.

const { ASYNC_DISPOSE } = require('../base/disposal.js')

/** The method by which a subclass ends: it stops, closes its source, and resolves when that is done. */
const CLOSE = Symbol('close')

class ClosableIterator {
  [Symbol.asyncIterator]() {
    return this
  }

  async return(value) {
    await this[CLOSE]()
    return { done: true, value: await value }
  }

  async throw(error) {
    await this[CLOSE]()
    throw error
  }

  async [ASYNC_DISPOSE]() {
    await this[CLOSE]()
  }

  async [CLOSE]() {}
}

module.exports = { CLOSE, ClosableIterator }
