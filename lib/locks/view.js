'use strict'

// A synchronizer as `timeout()` and `throttle()` return it, with one way to wait that is set beforehand.

class View {
  #synchronizer
  #run

  constructor(synchronizer, run) {
    this.#synchronizer = synchronizer
    this.#run = run
  }

  get stats() {
    return this.#synchronizer.stats
  }

  synchronized(params) {
    return this.#run(params)
  }
}

module.exports = { View }
