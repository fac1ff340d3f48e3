'use strict'

// A client as long as it is open: what runs on it, and how it ends.

const core = require('../native/core.js')
const { tellSafely } = require('../native/faults.js')
const { warn } = require('../native/warning.js')
const { closedError } = require('./errors.js')

/** What listings, executors and runs know of their client: whether it is open, and how to say that they run. */
class Store {
  #handle
  #running = new Set()
  #onIdle
  /** @type {Promise<void> | undefined} */
  #closing
  #isTold

  /** @param {boolean} isTold whether the caller chose how to delete, so that there is nothing to advise */
  constructor(handle, isTold) {
    this.#handle = handle
    this.#isTold = isTold
  }

  get isClosed() {
    return this.#closing !== undefined
  }

  /** The integer that stands for the client in the addon, for a job that begins. */
  open() {
    if (this.isClosed) throw closedError('; make another one')
    return this.#handle.id
  }

  /** `part` runs until `ended(part)`; its `stop()` is called when the client is closed before. */
  started(part) {
    this.#running.add(part)
  }

  ended(part) {
    this.learn()
    this.#running.delete(part)
    if (this.#running.size === 0) this.#onIdle?.()
  }

  /**
   * To be called after deletes: warns once when the store has no multi-delete, since every key then costs a request.
   */
  learn() {
    tellSafely(() => this.#learn())
  }

  #learn() {
    if (this.#isTold || !core.isS3Single(this.#handle.id)) return
    this.#isTold = true
    const warning = new Error(
      "The store takes no request that deletes many keys, so they go one by one; with deleteMode: 'single' it is not asked for others",
    )
    warning.name = 'S3BulkWarning'
    warn(warning)
  }

  close() {
    return (this.#closing ??= this.#close())
  }

  async #close() {
    // `isClosed` is true from here on, so nothing starts while the parts are told to stop.
    await undefined
    const isIdle = new Promise((resolve) => {
      this.#onIdle = () => resolve(undefined)
    })
    for (const part of [...this.#running]) part.stop()
    // What still runs must not wait for a function of the user that may never give credentials.
    this.#handle.desk?.close()
    if (this.#running.size > 0) await isIdle
    this.#handle.close()
  }
}

/** The client in the addon, which closes once. */
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

module.exports = { ClientHandle, Store }
