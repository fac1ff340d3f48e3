'use strict'

// Permits of prefixes that synchronizers keep: a native job asks for one per request, and holds it until the request is over.
//
// A permit belongs to the job. Several calls share a request, so it is asked for in an async context of nobody, and is never
// taken for a re-entry of a section that a caller is in. A caller who is in the section of a prefix would so wait for
// itself, and is refused, as by `acquire()`.

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

/** The context of nobody. */
const scope = new AsyncResource('S3Permits', { requireManualDestroy: true })

class PermitsDesk {
  #limitPerKey
  #isCallerInside
  #stop = new StopSignal()
  /** How each permit that is held is given back. @type {Map<number, () => void>} */
  #held = new Map()

  /**
   * The desk of a job, where its limits are those of synchronizers. Of a job with one caller, `isCallerInside` tells whether
   * that one is in a section; where many call, each call is checked with `refuseReentry`.
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

  /** No more permits are waited for. */
  stop(reason) {
    this.#stop.abort(reason)
  }

  /** The job is over: nothing is held on to, nor waited for. */
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

  /** Calls `onHeld` when the permit is had. Settles when it was given back, and tells whether it was had at all. */
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

/** Opens a job whose last argument is the job that asks for its permits, if it has `permits`. */
function openWithPermits(permits, open, ...args) {
  try {
    return openJob(open, ...args, permits?.job.id ?? 0)
  } catch (error) {
    permits?.close()
    throw error
  }
}

/** Throws when the code that calls is in a section of one of the prefixes that `keys` have under the `options` of an executor. */
function refuseReentry(limitPerKey, options, keys) {
  if (limitPerKey?.synchronizers == null || innermost() === undefined) return
  const { synchronizers, maxTasksInExecution } = limitPerKey
  for (const prefix of core.prefixesOf(options, keys))
    refuseInside(synchronizers.forKey(prefix, maxTasksInExecution), isInside)
}

function refuseInside(synchronizer, isIn) {
  // What is no synchronizer fails where it is used.
  if (synchronizer == null || !isIn(identityOf(synchronizer))) return
  const { providerId, synchronizerId } = synchronizer
  throw new SynchronizerReentrantExecutionError({ providerId, synchronizerId, executionId: nextExecutionId() })
}

module.exports = { PermitsDesk, openWithPermits, refuseReentry }
