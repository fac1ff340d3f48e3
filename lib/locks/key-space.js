'use strict'

// The keys of one provider: which synchronizer stands for which, and their tables in the core.
//
// The types ask for strings, but ya-syn takes every value that a Map tells apart. The core knows strings alone, so numbers,
// booleans and bigints are put into a table of their own by type and value, where 1 differs from '1'.

const { randomUUID } = require('node:crypto')
const core = require('../native/core.js')
const { TableHandle, closeWith } = require('../native/handles.js')
const { KeyNames } = require('./names.js')
const { isShared } = require('./process-scope.js')
const { Synchronizer } = require('./synchronizer.js')
const { checkOptionalFunction, invalid, invalidLimit } = require('../base/validate.js')

class KeySpace {
  /** @type {Map<unknown, KeyReference>} */
  #synchronizers = new Map()
  #table
  /** The table of the keys that are no strings; 0 until there is one. */
  #otherTable = 0

  /** `params` must be a copy that nobody changes. */
  constructor(provider, params) {
    checkOptionalFunction('onEvent', params.onEvent)
    this.params = params
    this.shared = isShared(params.scope)
    if (this.shared && typeof params.providerId !== 'string') {
      throw invalid('providerId', params.providerId, "a string for a provider of scope 'process'")
    }
    this.providerId = params.providerId ?? randomUUID()
    this.onEvent = params.onEvent
    this.raiseOnReentrant = params.raiseOnReentrant === true
    this.#table = this.shared ? core.openSpace(`provider ${this.providerId}`) : core.createTable()
    closeWith(provider, new TableHandle(this.#table))
  }

  get size() {
    const others = this.#otherTable === 0 ? 0 : core.numberOfKeys(this.#otherTable)
    return core.numberOfKeys(this.#table) + others
  }

  find(key) {
    return this.#synchronizers.get(key)?.deref()
  }

  open(key, limit, id) {
    const isString = typeof key === 'string'
    if (!isString) this.#checkOther(key)
    // The last synchronizer of the key was collected, but has not been closed yet: the key starts afresh.
    this.#synchronizers.get(key)?.close()
    const handle = typeof limit === 'number' ? this.#lease(isString, key, limit) : 0
    if (handle === 0) throw invalidLimit('maxConcurrentExecution', limit)
    const synchronizer = this.#synchronizerOf(key, id, handle)
    const reference = new KeyReference(synchronizer, this.#synchronizers, key, handle)
    this.#synchronizers.set(key, reference)
    closeWith(synchronizer, reference)
    return synchronizer
  }

  #lease(isString, key, limit) {
    if (isString) return core.leaseKey(this.#table, key, limit)
    if (this.#otherTable === 0) {
      this.#otherTable = core.createTable()
      closeWith(this, new TableHandle(this.#otherTable))
    }
    return core.leaseKey(this.#otherTable, `${typeof key} ${key}`, limit)
  }

  #checkOther(key) {
    if (this.shared || !['number', 'boolean', 'bigint'].includes(typeof key)) throw invalid('key', key, 'a string')
  }

  #synchronizerOf(key, id, handle) {
    try {
      return new Synchronizer(undefined, new KeyNames(this, key, id, handle))
    } catch (error) {
      core.closeSemaphore(handle)
      throw error
    }
  }
}

/** Refers to the synchronizer of a key; its `close` gives the key up once the synchronizer was collected. */
class KeyReference extends WeakRef {
  constructor(synchronizer, synchronizers, key, handle) {
    super(synchronizer)
    this.synchronizers = synchronizers
    this.key = key
    this.handle = handle
    this.closed = false
  }

  close() {
    if (this.closed) return
    this.closed = true
    this.synchronizers.delete(this.key)
    core.closeSemaphore(this.handle)
  }
}

module.exports = { KeySpace }
