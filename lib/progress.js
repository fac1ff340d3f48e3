'use strict'

// Reports progress at most ten times a second, and once more at the end.

const { notifyListener } = require('./listeners.js')

/** Milliseconds between two reports. */
const INTERVAL = 100

class Progress {
  #listener
  #read
  #timer
  #reportedAt = -Infinity

  constructor(listener, read) {
    this.#listener = listener
    this.#read = read
  }

  /** Something changed. */
  touch() {
    if (this.#timer !== undefined) return
    const wait = Math.max(0, this.#reportedAt + INTERVAL - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#report()
    }, wait)
  }

  end() {
    clearTimeout(this.#timer)
    this.#report()
  }

  #report() {
    this.#reportedAt = performance.now()
    notifyListener('onProgress', () => this.#listener(this.#read()))
  }
}

module.exports = { Progress }
