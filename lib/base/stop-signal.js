'use strict'

// A signal of our own, for work that stops as a whole. Some realms have no AbortController, and Node.js does not listen to
// the signals of every realm that has one.

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

  /** Aborts; a second call does nothing. The listeners must not throw. */
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
