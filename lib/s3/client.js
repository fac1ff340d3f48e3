'use strict'

// The client: a store, and the jobs that run on it.

const core = require('../native/core.js')
const { ASYNC_DISPOSE } = require('../base/disposal.js')
const { tellSafely } = require('../native/faults.js')
const { closeWith } = require('../native/handles.js')
const { checkLimit, checkOptionalFunction, invalid } = require('../base/validate.js')
const { warn } = require('../native/warning.js')
const { toConfig } = require('./config.js')
const { CredentialsDesk } = require('./credentials.js')
const { closedError } = require('./errors.js')
const { makeExecutor } = require('./executor.js')
const { DEFAULTS, DELETION_NAMES, JOB_NAMES, LISTING_NAMES, checkNames, checkOptional, readOptions, toDeletion, toListing } = require('./options.js')
const { runAll } = require('./run.js')
const { S3Source } = require('./source.js')

/** What the parts of a client know of it. */
class Store {
  #handle
  #running = new Set()
  #onIdle
  /** @type {Promise<void> | undefined} */
  #closing
  #isTold

  /** @param {boolean} isTold whether it was told how to delete, so that nothing can be learnt of it */
  constructor(handle, isTold) {
    this.#handle = handle
    this.#isTold = isTold
  }

  get isClosed() {
    return this.#closing !== undefined
  }

  /** The addon's client, for a job that begins. */
  open() {
    if (this.isClosed) throw closedError('; make another one')
    return this.#handle.id
  }

  started(part) {
    this.#running.add(part)
  }

  ended(part) {
    this.learn()
    this.#running.delete(part)
    if (this.#running.size === 0) this.#onIdle?.()
  }

  /** Something was done: says once that the store has no multi-delete, since every key then costs a request. */
  learn() {
    tellSafely(() => this.#learn())
  }

  #learn() {
    if (this.#isTold || !core.isS3Single(this.#handle.id)) return
    this.#isTold = true
    const warning = new Error("The store takes no request that deletes many keys, so they go one by one; with deleteMode: 'single' it is not asked for others")
    warning.name = 'S3BulkWarning'
    warn(warning)
  }

  close() {
    return (this.#closing ??= this.#close())
  }

  async #close() {
    // Nothing may start any more before the first of them is told to stop.
    await undefined
    const isIdle = new Promise((resolve) => {
      this.#onIdle = () => resolve(undefined)
    })
    for (const part of [...this.#running]) part.stop()
    // Nobody waits any more for a function that may never answer.
    this.#handle.desk?.close()
    if (this.#running.size > 0) await isIdle
    this.#handle.close()
  }
}

class ClientHandle {
  closed = false

  constructor(id, desk) {
    this.id = id
    this.desk = desk
  }

  close() {
    if (this.closed) return
    this.closed = true
    tellSafely(() => core.closeS3Client(this.id))
    this.desk?.close()
  }
}

class S3BulkClient {
  #store

  constructor(config = {}) {
    // Each option is read once: what is checked must be what is used.
    const own = typeof config === 'object' && config !== null && !Array.isArray(config) ? { ...config } : config
    const options = toConfig(own)
    const { credentials } = own
    const desk = typeof credentials === 'function' ? new CredentialsDesk(credentials) : undefined
    const handle = new ClientHandle(core.openS3Client(options, desk?.job.id ?? 0), desk)
    this.#store = new Store(handle, options.deleteMode !== 'auto')
    closeWith(this.#store, handle)
  }

  listKeys(options) {
    const own = readOptions(options, LISTING_NAMES)
    checkNames('listKeys', own, LISTING_NAMES)
    return new S3Source(this.#store, toListing(own), own)
  }

  listObjects(options) {
    const own = readOptions(options, LISTING_NAMES)
    checkNames('listObjects', own, LISTING_NAMES)
    return new S3Source(this.#store, { ...toListing(own), details: true }, own)
  }

  listObjectVersions(options) {
    const own = readOptions(options, LISTING_NAMES)
    checkNames('listObjectVersions', own, LISTING_NAMES)
    return new S3Source(this.#store, { ...toListing(own), versions: true }, own)
  }

  deleteObjects(options) {
    const own = readOptions(options, DELETION_NAMES)
    checkNames('deleteObjects', own, DELETION_NAMES)
    return makeExecutor(this.#store, toDeletion(own), own)
  }

  async deletePrefix(options) {
    const own = readOptions(options, JOB_NAMES)
    const { Prefix, all, versions, dryRun, onTaskError, onProgress, signal, where } = own
    if (where != null) throw invalid('where', where, 'left out: use `filter`, or executeTasks with listKeys({ where }) and deleteObjects')
    checkNames('deletePrefix', own, JOB_NAMES)
    for (const [name, flag] of [['all', all], ['versions', versions], ['dryRun', dryRun]]) checkOptional('boolean', name, flag)
    if (!all && (typeof Prefix !== 'string' || Prefix === '')) {
      throw invalid('Prefix', Prefix, 'a string that is not empty; to delete everything in the bucket set `all: true`')
    }
    if (all && Prefix != null && Prefix !== '') throw invalid('Prefix', Prefix, 'left out when `all` is true')
    checkOptionalFunction('onTaskError', onTaskError)
    checkOptionalFunction('onProgress', onProgress)
    const deletion = toDeletion(own)
    const maxTasksInFlight = own.maxTasksInFlight ?? 2 * Math.min(deletion.maxTasksInExecution, DEFAULTS.maxTasksInExecution)
    checkLimit('maxTasksInFlight', maxTasksInFlight)
    const listing = { ...toListing(own), versions: versions ?? false }
    return runAll(this.#store, { ...listing, ...deletion, maxTasksInFlight }, own.limitPerKey, { signal, onTaskError, onProgress }, dryRun ?? false)
  }

  async close() {
    await this.#store.close()
  }

  async [ASYNC_DISPOSE]() {
    await this.close()
  }
}

module.exports = { S3BulkClient }
