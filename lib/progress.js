'use strict'

// Reports progress at most ten times a second, and once more at the end.

const { clearTimeout, setTimeout } = require('node:timers')
const { now } = require('./clock.js')
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
    const wait = Math.max(0, this.#reportedAt + INTERVAL - now())
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
    this.#reportedAt = now()
    notifyListener('onProgress', () => this.#listener(this.#read()))
  }
}

module.exports = { Progress }
