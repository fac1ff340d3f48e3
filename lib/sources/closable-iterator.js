'use strict'

// The part of an async iterator that is the same for all: every way to end it early closes it.

const { ASYNC_DISPOSE } = require('../base/disposal.js')

/** What a subclass does to end: stop, close its source, and resolve when that is done. */
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
