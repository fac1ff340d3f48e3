'use strict'

// A permit that an object holds instead of a callback, until the object is released.

const { ASYNC_DISPOSE, DISPOSE } = require('../base/disposal.js')

class SynchronizerGuard {
  #leave

  constructor(leave) {
    this.#leave = leave
  }

  get released() {
    return this.#leave === undefined
  }

  release() {
    const leave = this.#leave
    this.#leave = undefined
    leave?.()
  }

  [DISPOSE]() {
    this.release()
  }

  async [ASYNC_DISPOSE]() {
    this.release()
  }
}

module.exports = { SynchronizerGuard }
