'use strict'

// A job that lists and deletes, or only counts, without JavaScript per key: here its failures and its progress are told.

const { clearInterval, setInterval } = require('node:timers')
const core = require('../native/core.js')
const { onAbort, offAbort } = require('../base/abort.js')
const { now: readClock } = require('../base/clock.js')
const { tellSafely } = require('../native/faults.js')
const { notifyListener } = require('../base/listeners.js')
const { S3AbortError, S3BulkError, S3DeleteError, closedError, failedKeys, faultError } = require('./errors.js')
const { captureSections } = require('../locks/reentry.js')
const { PermitsDesk, openWithPermits } = require('./permits.js')
const { stopJob } = require('./stop-job.js')

/** Milliseconds between two reports of progress. */
const INTERVAL = 100
/** Without a handler, so many keys that failed are kept for the rejection; the counts are exact all the same. */
const MOST_KEPT = 100_000

class Run {
  #client
  #bucket
  #job
  #permits
  #params
  #startedAt = readClock()
  #reported = { at: this.#startedAt, deleted: 0 }
  #onAbort = () => {
    stopJob(this.#job)
    this.#permits?.stop(this.#params.signal?.reason)
  }
  /** The first error that `onTaskError` threw, as `{ error }`. */
  #handlerFailure
  #failed = []
  #isStopped = false

  /** @param {{ signal?: AbortSignal, onTaskError?: Function, onProgress?: Function, toProgress?: (progress: any) => object }} params */
  constructor(client, options, limitPerKey, params, isDry) {
    this.#client = client
    this.#bucket = options.Bucket
    this.#params = params
    const id = client.open()
    this.#permits = isDry ? undefined : PermitsDesk.open(limitPerKey, captureSections())
    this.#job = openWithPermits(this.#permits, core.runS3, id, options, isDry)
  }

  /** The end of the run, as `{ counts, failure, handlerFailure, failed }`; `failure` is what kept it from going on. */
  async execute() {
    const { signal, onProgress } = this.#params
    this.#client.started(this)
    if (signal != null) onAbort(signal, this.#onAbort)
    const timer =
      onProgress == null
        ? undefined
        : setInterval(() => tellSafely(() => this.#report(core.readS3(this.#job.id))), INTERVAL)
    try {
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
        if (this.#params.onProgress != null) this.#report(chunk.counters)
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

  /** The client ends: nothing more starts, and what was done by then can't be told from all there was to do. */
  stop() {
    this.#isStopped = true
    stopJob(this.#job)
  }

  async #tellFailed(chunk) {
    const failed = failedKeys(chunk.failed)
    const { onTaskError } = this.#params
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
    notifyListener('onProgress', this.#params.onProgress, this.#params.toProgress?.(progress) ?? progress)
  }
}

/** The counts of a run that never began. */
const NOTHING = {
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
  return { ...NOTHING, ...counts, elapsedMs }
}

/** executeTasks with both ends native. */
async function runTasks(client, options, limitPerKey, params) {
  const { signal, maxTasksInFlight, onTaskError, onProgress } = params
  signal?.throwIfAborted()
  const toProgress = (progress) => ({
    pulled: progress.listed,
    running: progress.inFlight,
    done: progress.deleted,
    ...progress,
  })
  // As in every pipeline, what nobody wants to hear of is not kept.
  const ignore = () => {}
  const run = new Run(
    client,
    { ...options, maxTasksInFlight },
    limitPerKey,
    { signal, onTaskError: onTaskError ?? ignore, onProgress, toProgress },
    false,
  )
  const { failure, handlerFailure } = await run.execute()
  if (signal?.aborted) throw signal.reason
  if (failure !== undefined) throw failure
  if (handlerFailure !== undefined) throw handlerFailure.error
}

/** Deletes, or counts, all that is listed. */
async function runAll(client, options, limitPerKey, params, isDry) {
  const { signal } = params
  if (signal?.aborted) throw new S3AbortError({ counts: NOTHING, cause: signal.reason })
  const { counts, failure, handlerFailure, failed } = await new Run(
    client,
    options,
    limitPerKey,
    params,
    isDry,
  ).execute()
  if (signal?.aborted) throw new S3AbortError({ counts, failed, cause: signal.reason })
  if (failure !== undefined) throw failure
  if (handlerFailure !== undefined) throw handlerFailure.error
  if (failed.length > 0) throw new S3DeleteError({ failed, deleted: counts.deleted, counts, bucket: options.Bucket })
  // A dry run deletes nothing, and tells what would be.
  return isDry ? { ...counts, deleted: counts.listed } : counts
}

module.exports = { runAll, runTasks }
