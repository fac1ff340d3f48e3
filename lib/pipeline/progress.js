'use strict'

// Reports progress at most ten times a second, and once more at the end.

const { clearTimeout, setTimeout } = require('node:timers')
const { now } = require('../base/clock.js')
const { notifyListener } = require('../base/listeners.js')

/** Milliseconds between two reports. */
const INTERVAL = 100

class Progress {
  #report
  #timer
  #reportedAt = -Infinity
  #isOver = false

  /** `report` tells the listener how far the work is. */
  constructor(report) {
    this.#report = report
  }

  /** To be called when something changed. */
  touch() {
    if (this.#timer !== undefined || this.#isOver) return
    const wait = Math.max(0, this.#reportedAt + INTERVAL - now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#tell()
    }, wait)
  }

  end() {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#tell()
  }

  #tell() {
    this.#reportedAt = now()
    notifyListener('onProgress', this.#report)
  }
}

module.exports = { Progress }
