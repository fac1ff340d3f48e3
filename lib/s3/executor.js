'use strict'

// `deleteObjects`: deletes pages of keys. Calls that are pending together share requests, and one job tells how each call
// ended.

const { clearTimeout, setTimeout } = require('node:timers')
const core = require('../native/core.js')
const { onAbort, offAbort } = require('../base/abort.js')
const { RUN_NATIVE } = require('../pipeline/native-ends.js')
const { invalid } = require('../base/validate.js')
const { toColumns } = require('./columns.js')
const { S3DeleteError, closedError, failedKeys, faultError } = require('./errors.js')
const { executeNatively } = require('./native-tasks.js')
const { PermitsDesk, openWithPermits, refuseReentry } = require('./permits.js')
const { S3Source } = require('./source.js')
const { stopJob } = require('./stop-job.js')

/**
 * Milliseconds without a call after which the job is closed; the pace of prefixes that it learnt is out of date by
 * then.
 */
const IDLE = 10_000

class Executor {
  #client
  #options
  #limitPerKey
  #signal
  #job
  #permits
  #isPumping = false
  /** @type {NodeJS.Timeout | undefined} */
  #idle
  #calls = new Map()
  #lastCall = 0
  #onAbort = () => {
    stopJob(this.#job)
    this.#permits?.stop(this.#signal.reason)
  }

  constructor(client, options, { limitPerKey, signal }) {
    this.#client = client
    this.#options = options
    this.#limitPerKey = limitPerKey
    this.#signal = signal
  }

  async delete(page) {
    const { keys, versions, refused } = toColumns(page)
    refuseReentry(this.#limitPerKey, this.#options, keys)
    if (this.#signal?.aborted) throw this.#signal.reason
    const settled = keys.length === 0 ? undefined : await this.#call(keys, versions)
    const { deleted = 0, untried = 0, fault = null } = settled ?? {}
    const failed = settled === undefined ? refused : [...refused, ...failedKeys(settled.failed)]
    if (untried > 0) {
      if (this.#signal?.aborted) throw this.#signal.reason
      throw fault === null ? closedError(`; ${untried} keys were not tried`) : faultError(fault)
    }
    if (failed.length > 0) throw new S3DeleteError({ failed, deleted, bucket: this.#options.Bucket })
  }

  /**
   * The run outside of JavaScript, or `undefined` unless the source is a listing of the same client that needs no
   * JavaScript.
   */
  run(params) {
    const { taskSource, limitPerKey } = params
    if (!(taskSource instanceof S3Source) || limitPerKey != null || this.#signal != null) return undefined
    const listing = taskSource.takeOver(this.#client)
    if (listing === undefined) return undefined
    const deletion = {
      ...this.#options,
      ...(params.maxTasksInExecution == null ? {} : { maxTasksInExecution: params.maxTasksInExecution }),
    }
    if (listing.Bucket !== deletion.Bucket) {
      throw invalid(
        'The Bucket of taskExecutor',
        deletion.Bucket,
        `that of taskSource, ${JSON.stringify(listing.Bucket)}`,
      )
    }
    return executeNatively(this.#client, { ...listing, ...deletion }, this.#limitPerKey, params)
  }

  /** The client is closed: the job starts nothing more. */
  stop() {
    stopJob(this.#job)
    if (!this.#isPumping) this.#end()
  }

  #call(keys, versions) {
    this.#start()
    const number = ++this.#lastCall
    try {
      core.deleteS3(this.#job.id, number, keys, versions)
    } catch (error) {
      if (!this.#isPumping) this.#end()
      throw error
    }
    const settled = new Promise((resolve, reject) => this.#calls.set(number, { resolve, reject }))
    this.#pump()
    return settled
  }

  #start() {
    clearTimeout(this.#idle)
    if (this.#job !== undefined) return
    const id = this.#client.open()
    this.#permits = PermitsDesk.open(this.#limitPerKey)
    this.#job = openWithPermits(this.#permits, core.openS3Deleter, id, this.#options)
    this.#client.started(this)
  }

  /** Takes chunks while calls wait for some. */
  async #pump() {
    if (this.#isPumping) return
    this.#isPumping = true
    let isOver = false
    try {
      // The signal is listened to only while calls wait, so that it keeps no executor that nobody calls.
      if (this.#signal != null) onAbort(this.#signal, this.#onAbort)
      while (this.#calls.size > 0) {
        const chunk = await this.#job.next()
        isOver ||= chunk.fault !== null
        this.#calls.get(chunk.call).resolve(chunk)
        this.#calls.delete(chunk.call)
      }
    } catch (error) {
      // The core failed, or the signal can't be listened to: no chunk will tell the calls that wait.
      isOver = true
      for (const call of this.#calls.values()) call.reject(error)
      this.#calls.clear()
    }
    this.#isPumping = false
    if (this.#signal != null) offAbort(this.#signal, this.#onAbort)
    this.#client.learn()
    // A call after a fault, an abort or the close of the client opens another job, or learns why there is none.
    if (isOver || this.#signal?.aborted || this.#client.isClosed) this.#end()
    else this.#idle = setTimeout(() => this.#end(), IDLE).unref()
  }

  #end() {
    clearTimeout(this.#idle)
    const job = this.#job
    this.#job = undefined
    this.#client.ended(this)
    this.#permits?.close()
    job.close()
  }
}

/** The executor as the function that executeTasks takes. */
function makeExecutor(client, options, given) {
  const executor = new Executor(client, options, given)
  const deleteObjects = async ({ task }) => executor.delete(task)
  Object.defineProperty(deleteObjects, RUN_NATIVE, { value: (params) => executor.run(params) })
  return deleteObjects
}

module.exports = { makeExecutor }
