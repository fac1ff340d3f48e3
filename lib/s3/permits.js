'use strict'

// Permits of prefixes whose limits are those of synchronizers. A native job asks for a permit for each request, and holds the
// permit until the request is over.
//
// Several calls share a request, so a permit belongs to the job. It is asked for in an async context that is in no section,
// and never counts as a re-entry of a section that a caller is in. A caller that is in the section of a prefix would
// therefore wait for itself, and is refused, as by `acquire()`.

const { AsyncResource } = require('node:async_hooks')
const core = require('../native/core.js')
const { SynchronizerReentrantExecutionError } = require('../base/errors.js')
const { nextExecutionId } = require('../locks/execution-id.js')
const { tellSafely } = require('../native/faults.js')
const { openJob } = require('../native/job.js')
const { identityOf } = require('../locks/process-scope.js')
const { innermost, isInside, runOutside } = require('../locks/reentry.js')
const { StopSignal } = require('../base/stop-signal.js')
const { messageOf } = require('../native/warning.js')
const { serve } = require('./desk.js')

/** An async context that belongs to no call. */
const scope = new AsyncResource('S3Permits', { requireManualDestroy: true })

class PermitsDesk {
  #limitPerKey
  #isCallerInside
  #stop = new StopSignal()
  /** How each permit that is held is given back. @type {Map<number, () => void>} */
  #held = new Map()

  /**
   * The desk of a job, or `undefined` when its limits are not those of synchronizers. For a job of one call, `isCallerInside`
   * tells whether the caller is in a section; of a job of many calls, each call is checked by `refuseReentry`.
   */
  static open(limitPerKey, isCallerInside = (_) => false) {
    return limitPerKey?.synchronizers == null ? undefined : new PermitsDesk(limitPerKey, isCallerInside)
  }

  constructor(limitPerKey, isCallerInside) {
    this.#limitPerKey = limitPerKey
    this.#isCallerInside = isCallerInside
    /** Why the caller was refused, if it was. @type {any} */
    this.reentry = undefined
    this.job = openJob(core.openS3Questions)
    const answer = ({ kind, permit, prefix }) => (kind === 'ask' ? this.#ask(permit, prefix) : this.#release(permit))
    scope.runInAsyncScope(() => runOutside(() => serve(this.job, answer)))
  }

  /** Leaves the queues for permits; no other permit is waited for. */
  stop(reason) {
    this.#stop.abort(reason)
  }

  /** The job is over: all permits are given back, and none is waited for. */
  close() {
    this.job.close()
    this.stop()
    for (const permit of [...this.#held.keys()]) this.#release(permit)
  }

  async #ask(permit, prefix) {
    const answer = (message) => {
      if (!this.job.isClosed) tellSafely(() => core.answerS3Permit(this.job.id, permit, message))
    }
    try {
      const wasHeld = await this.#hold(permit, prefix, () => answer(null))
      if (!wasHeld) answer('The synchronizer ended its section without calling back')
    } catch (error) {
      answer(messageOf(error))
    }
  }

  /**
   * Calls `onHeld` when the permit was taken. Settles when the permit was given back, and tells whether it was ever
   * taken.
   */
  async #hold(permit, prefix, onHeld) {
    const { synchronizers, maxTasksInExecution } = this.#limitPerKey
    const synchronizer = synchronizers.forKey(prefix, maxTasksInExecution)
    try {
      refuseInside(synchronizer, this.#isCallerInside)
    } catch (error) {
      this.reentry = error
      throw error
    }
    let section
    const enter = () =>
      new Promise((resolve) => {
        if (this.job.isClosed) return resolve(undefined)
        this.#held.set(permit, () => resolve(undefined))
        onHeld()
      })
    await synchronizer.synchronized({ cb: () => (section ??= enter()), signal: this.#stop })
    return section !== undefined
  }

  #release(permit) {
    const release = this.#held.get(permit)
    this.#held.delete(permit)
    release?.()
  }
}

/** Opens a job by a function of the core whose last argument is the job that asks for permits; 0 stands for none. */
function openWithPermits(permits, open, ...args) {
  try {
    return openJob(open, ...args, permits?.job.id ?? 0)
  } catch (error) {
    permits?.close()
    throw error
  }
}

/**
 * Throws when the code that calls is in a section of one of the prefixes that `keys` have under the `options` of an
 * executor.
 */
function refuseReentry(limitPerKey, options, keys) {
  if (limitPerKey?.synchronizers == null || innermost() === undefined) return
  const { synchronizers, maxTasksInExecution } = limitPerKey
  for (const prefix of core.prefixesOf(options, keys))
    refuseInside(synchronizers.forKey(prefix, maxTasksInExecution), isInside)
}

function refuseInside(synchronizer, isIn) {
  // A value that is no synchronizer fails later, where it is used.
  if (synchronizer == null || !isIn(identityOf(synchronizer))) return
  const { providerId, synchronizerId } = synchronizer
  throw new SynchronizerReentrantExecutionError({ providerId, synchronizerId, executionId: nextExecutionId() })
}

module.exports = { PermitsDesk, openWithPermits, refuseReentry }
