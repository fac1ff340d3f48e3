'use strict'

// The signal of work that stops as one. The AbortController of a realm is not always one that Node.js listens to, and some realms have none.

class StopSignal {
  aborted = false
  reason = undefined
  #listeners = new Set()

  addEventListener(_, listener) {
    this.#listeners.add(listener)
  }

  removeEventListener(_, listener) {
    this.#listeners.delete(listener)
  }

  throwIfAborted() {
    if (this.aborted) throw this.reason
  }

  /** Aborts, once; the listeners must not throw. */
  abort(reason) {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener({ type: 'abort', target: this })
  }
}

module.exports = { StopSignal }
