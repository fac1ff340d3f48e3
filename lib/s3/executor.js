'use strict'

// Deletes pages of keys. Calls that are pending together share requests; what they wait for comes as chunks of one job.

const { clearTimeout, setTimeout } = require('node:timers')
const core = require('../native/core.js')
const { onAbort, offAbort } = require('../base/abort.js')
const { RUN_NATIVE } = require('../pipeline/native-ends.js')
const { invalid } = require('../base/validate.js')
const { S3DeleteError, closedError, failedKey, failedKeys, faultError } = require('./errors.js')
const { isWellFormed } = require('./options.js')
const { PermitsDesk, openWithPermits, refuseReentry } = require('./permits.js')
const { runTasks } = require('./run.js')
const { S3Source } = require('./source.js')
const { stopJob } = require('./stop-job.js')

/** Milliseconds after which an executor that nobody calls is given up; what it knows of the pace of prefixes is stale by then. */
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
    this.#signal?.throwIfAborted()
    const settled = keys.length === 0 ? undefined : await this.#call(keys, versions)
    const { deleted = 0, untried = 0, fault = null } = settled ?? {}
    const failed = settled === undefined ? refused : [...refused, ...failedKeys(settled.failed)]
    if (untried > 0) {
      if (this.#signal?.aborted) throw this.#signal.reason
      throw fault === null ? closedError(`; ${untried} keys were not tried`) : faultError(fault)
    }
    if (failed.length > 0) throw new S3DeleteError({ failed, deleted, bucket: this.#options.Bucket })
  }

  /** The run, when the source is a listing of the same client that needs no JavaScript. */
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
    return runTasks(this.#client, { ...listing, ...deletion }, this.#limitPerKey, params)
  }

  /** Starts nothing more. */
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
    // Only while calls wait: an executor that nobody calls is no part of the signal's life.
    if (this.#signal != null) onAbort(this.#signal, this.#onAbort)
    let isOver = false
    try {
      while (this.#calls.size > 0) {
        const chunk = await this.#job.next()
        isOver ||= chunk.fault !== null
        this.#calls.get(chunk.call).resolve(chunk)
        this.#calls.delete(chunk.call)
      }
    } catch (error) {
      // A fault of the core, which nobody else can tell to those who wait.
      isOver = true
      for (const call of this.#calls.values()) call.reject(error)
      this.#calls.clear()
    }
    this.#isPumping = false
    if (this.#signal != null) offAbort(this.#signal, this.#onAbort)
    this.#client.learn()
    // After a fault, or the end of the client, another call starts afresh.
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

/** The keys and versions of a page, and those of its keys that S3 can't have. */
function toColumns(page) {
  if (!Array.isArray(page))
    throw invalid('The task of deleteObjects', page, 'an array of keys, as strings or { Key, VersionId? }')
  const keys = []
  const refused = []
  let versions = null
  for (const item of page) {
    const { Key, VersionId } = typeof item === 'string' ? { Key: item, VersionId: undefined } : (item ?? {})
    if (typeof Key !== 'string') throw invalid('A key to delete', item, 'a string or { Key, VersionId? }')
    // An empty one is none to a store, which would then delete the object instead of a version.
    if (VersionId != null && (typeof VersionId !== 'string' || VersionId.trim() === ''))
      throw invalid(`VersionId of ${JSON.stringify(Key)}`, VersionId, 'a string that is not empty, or left out')
    const message = faultOf(Key)
    if (message !== undefined) {
      refused.push(failedKey(Key, VersionId, 'InvalidKey', message))
      continue
    }
    if (VersionId != null) versions ??= new Array(keys.length).fill(null)
    versions?.push(VersionId ?? null)
    keys.push(Key)
  }
  return { keys, versions, refused }
}

function faultOf(key) {
  if (key === '') return 'S3 has no empty key'
  if (!isWellFormed(key)) return 'It has half of a surrogate pair; converted, it would be another key'
  return undefined
}

/** The executor as the function that executeTasks takes. */
function makeExecutor(client, options, given) {
  const executor = new Executor(client, options, given)
  const deleteObjects = async ({ task }) => executor.delete(task)
  Object.defineProperty(deleteObjects, RUN_NATIVE, { value: (params) => executor.run(params) })
  return deleteObjects
}

module.exports = { makeExecutor }
