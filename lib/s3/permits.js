'use strict'

// Permits of prefixes that synchronizers keep: a native job asks for one per request, and holds it until the request is over.

const core = require('../core.js')
const { tellSafely } = require('../faults.js')
const { openJob } = require('../native-job.js')
const { messageOf } = require('../warning.js')
const { serve } = require('./desk.js')

class PermitsDesk {
  #limitPerKey
  #signal
  /** How each permit that is held is given back. @type {Map<number, () => void>} */
  #held = new Map()

  /** The desk of a job, where its limits are those of synchronizers. */
  static open(limitPerKey, signal) {
    return limitPerKey?.synchronizers == null ? undefined : new PermitsDesk(limitPerKey, signal)
  }

  constructor(limitPerKey, signal) {
    this.#limitPerKey = limitPerKey
    this.#signal = signal
    this.job = openJob(core.openS3Permits)
    serve(this.job, ([kind, permit, prefix]) => (kind === 'ask' ? this.#ask(permit, prefix) : this.#release(permit)))
  }

  /** The job is over: nothing is held on to. */
  close() {
    this.job.close()
    for (const permit of [...this.#held.keys()]) this.#release(permit)
  }

  async #ask(permit, prefix) {
    const { synchronizers, maxTasksInExecution } = this.#limitPerKey
    const answer = (message) => {
      if (!this.job.isClosed) tellSafely(() => core.answerS3Permit(this.job.id, permit, message))
    }
    try {
      const cb = () =>
        new Promise((resolve) => {
          if (this.job.isClosed) return resolve(undefined)
          this.#held.set(permit, () => resolve(undefined))
          answer(null)
        })
      await synchronizers.forKey(prefix, maxTasksInExecution).synchronized({ cb, signal: this.#signal })
    } catch (error) {
      answer(messageOf(error))
    }
  }

  #release(permit) {
    const release = this.#held.get(permit)
    this.#held.delete(permit)
    release?.()
  }
}

module.exports = { PermitsDesk }
