'use strict'

// Permits of prefixes that synchronizers keep: a native job asks for one per request, and holds it until the request is over.

const core = require('../core.js')

class Permits {
  #limitPerKey
  #signal
  /** How each permit that is held is given back. @type {Map<number, () => void>} */
  #held = new Map()

  constructor(limitPerKey, signal) {
    this.#limitPerKey = limitPerKey
    this.#signal = signal
  }

  /** Carries out what the chunk asks for; false when it is about something else. */
  take(job, [kind, permit, prefix]) {
    if (kind === 'ask') this.#ask(job, permit, prefix)
    else if (kind === 'release') this.#release(permit)
    else return false
    return true
  }

  /** The job is over: nothing is held on to. */
  end() {
    for (const permit of [...this.#held.keys()]) this.#release(permit)
  }

  async #ask(job, permit, prefix) {
    const { synchronizers, maxTasksInExecution } = this.#limitPerKey
    const answer = (message) => {
      if (!job.isClosed) core.answerS3Permit(job.id, permit, message)
    }
    try {
      const cb = () =>
        new Promise((resolve) => {
          if (job.isClosed) return resolve(undefined)
          this.#held.set(permit, () => resolve(undefined))
          answer(null)
        })
      await synchronizers.forKey(prefix, maxTasksInExecution).synchronized({ cb, signal: this.#signal })
    } catch (error) {
      answer(String(error?.message ?? error))
    }
  }

  #release(permit) {
    const release = this.#held.get(permit)
    this.#held.delete(permit)
    release?.()
  }
}

module.exports = { Permits }
