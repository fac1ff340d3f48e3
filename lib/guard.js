'use strict'

// A permit held by an object instead of a callback.

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

  [Symbol.dispose]() {
    this.release()
  }

  async [Symbol.asyncDispose]() {
    this.release()
  }
}

module.exports = { SynchronizerGuard }
