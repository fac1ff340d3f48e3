'use strict'

// A native job that lists and deletes, or only counts, without JavaScript per key. A run tells its failures and its
// progress while it goes on, and what it has done in the end.

const { clearInterval, setInterval } = require('node:timers')
const core = require('../native/core.js')
const { onAbort, offAbort } = require('../base/abort.js')
const { now: readClock } = require('../base/clock.js')
const { tellSafely } = require('../native/faults.js')
const { notifyListener } = require('../base/listeners.js')
const { S3BulkError, S3DeleteError, closedError, failedKeys, faultError } = require('./errors.js')
const { captureSections } = require('../locks/reentry.js')
const { PermitsDesk, openWithPermits } = require('./permits.js')
const { stopJob } = require('./stop-job.js')

/** Milliseconds between two reports of progress. */
const INTERVAL = 100
/** How many failed keys the rejection of a run without a handler has at most; its counts are exact all the same. */
const MOST_KEPT = 100_000

/**
 * What a run calls and listens to; `toProgress` makes what `onProgress` is told.
 *
 * @typedef {{ signal?: AbortSignal, onTaskError?: Function, onProgress?: Function, toProgress?: (progress: any) => object }} Hooks
 */

class Run {
  #client
  #bucket
  #job
  #permits
  #hooks
  #startedAt = readClock()
  #reported = { at: this.#startedAt, deleted: 0 }
  #onAbort = () => {
    stopJob(this.#job)
    this.#permits?.stop(this.#hooks.signal?.reason)
  }
  /** The first error that `onTaskError` threw, as `{ error }`. */
  #handlerFailure
  #failed = []
  #isStopped = false

  /**
   * `options` are those of the addon.
   *
   * @param {any} client
   * @param {{ options: any, limitPerKey: any, hooks: Hooks, isDry: boolean }} job
   */
  constructor(client, { options, limitPerKey, hooks, isDry }) {
    this.#client = client
    this.#bucket = options.Bucket
    this.#hooks = hooks
    const id = client.open()
    this.#permits = isDry ? undefined : PermitsDesk.open(limitPerKey, captureSections())
    this.#job = openWithPermits(this.#permits, core.runS3, id, options, isDry)
  }

  /**
   * Resolves at the end with `{ counts, failure, handlerFailure, failed }`; `failure` is what kept the run from going
   * on.
   */
  async execute() {
    const { signal, onProgress } = this.#hooks
    this.#client.started(this)
    let timer
    try {
      // A signal that can't be listened to ends the run, which would else go on with nobody to stop it.
      if (signal != null) onAbort(signal, this.#onAbort)
      if (onProgress != null) {
        timer = setInterval(() => tellSafely(() => this.#report(core.readS3(this.#job.id))), INTERVAL)
      }
      return await this.#takeAll()
    } finally {
      clearInterval(timer)
      if (signal != null) offAbort(signal, this.#onAbort)
      this.#client.ended(this)
      this.#permits?.close()
      this.#job.close()
    }
  }

  async #takeAll() {
    let fault
    for (;;) {
      /** @type {any} one of S3Chunk; it is not closed before its last one */
      const chunk = await this.#job.next()
      if (chunk.kind === 'over') {
        if (this.#hooks.onProgress != null) this.#report(chunk.counters)
        const counts = countsOf(chunk.counters, readClock() - this.#startedAt)
        const failed = this.#failed
        return {
          counts,
          failure: this.#failure(fault, { counts, failed }),
          handlerFailure: this.#handlerFailure,
          failed,
        }
      }
      if (chunk.kind === 'fault') fault ??= chunk
      else await this.#tellFailed(chunk)
    }
  }

  #failure(fault, done) {
    const reentry = this.#permits?.reentry
    if (reentry !== undefined)
      return new S3BulkError({ message: reentry.message, code: reentry.code, cause: reentry, ...done })
    if (fault !== undefined) return faultError(fault, done)
    return this.#isStopped
      ? closedError(` before the job was over; ${done.counts.deleted} keys are deleted`, done)
      : undefined
  }

  /** The client is closed: nothing more starts, and the run fails, since what is left to do is unknown. */
  stop() {
    this.#isStopped = true
    stopJob(this.#job)
  }

  async #tellFailed(chunk) {
    const failed = failedKeys(chunk.failed)
    const { onTaskError } = this.#hooks
    if (onTaskError == null) {
      this.#failed.push(...failed.slice(0, MOST_KEPT - this.#failed.length))
      return
    }
    const task = failed.map(({ Key, VersionId }) => (VersionId === undefined ? Key : { Key, VersionId }))
    try {
      await onTaskError(new S3DeleteError({ failed, deleted: 0, bucket: this.#bucket }), { task })
    } catch (error) {
      this.#handlerFailure ??= { error }
    }
  }

  #report({ listed, deleted, failed, throttled, inFlight }) {
    const now = readClock()
    const perSecond = Math.max(0, ((deleted - this.#reported.deleted) / Math.max(1, now - this.#reported.at)) * 1000)
    this.#reported = { at: now, deleted }
    const progress = { listed, deleted, failed, inFlight, throttled, perSecond }
    notifyListener('onProgress', this.#hooks.onProgress, this.#hooks.toProgress?.(progress) ?? progress)
  }
}

/** The counts of a run that never began. */
const NO_COUNTS = {
  listed: 0,
  deleted: 0,
  failed: 0,
  markersCreated: 0,
  bytes: 0,
  requests: 0,
  retries: 0,
  throttled: 0,
  elapsedMs: 0,
}

/** What a run has done in the end. @param {import('../native/core.js').S3Counters} counters */
function countsOf({ inFlight: _, ...counts }, elapsedMs) {
  return { ...NO_COUNTS, ...counts, elapsedMs }
}

module.exports = { NO_COUNTS, Run }
