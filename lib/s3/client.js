'use strict'

// `S3BulkClient`: its methods check their options, and make listings, executors and runs of them.

const core = require('../native/core.js')
const { ASYNC_DISPOSE } = require('../base/disposal.js')
const { closeWith } = require('../native/handles.js')
const { toConfig } = require('./config.js')
const { CredentialsDesk } = require('./credentials.js')
const { deletePrefix } = require('./delete-prefix.js')
const { makeExecutor } = require('./executor.js')
const { DELETION_NAMES, LISTING_NAMES, readOptions, toDeletion, toJob, toListing } = require('./options.js')
const { S3Source } = require('./source.js')
const { ClientHandle, Store } = require('./store.js')

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
    return this.#list('listKeys', options, {})
  }

  listObjects(options) {
    return this.#list('listObjects', options, { details: true })
  }

  listObjectVersions(options) {
    return this.#list('listObjectVersions', options, { versions: true })
  }

  #list(method, options, kind) {
    const own = readOptions(method, options, LISTING_NAMES)
    return new S3Source(this.#store, { ...toListing(own), ...kind }, own)
  }

  deleteObjects(options) {
    const own = readOptions('deleteObjects', options, DELETION_NAMES)
    return makeExecutor(this.#store, toDeletion(own), own)
  }

  async deletePrefix(options) {
    return deletePrefix(this.#store, toJob(options))
  }

  async close() {
    await this.#store.close()
  }

  async [ASYNC_DISPOSE]() {
    await this.close()
  }
}

module.exports = { S3BulkClient }
