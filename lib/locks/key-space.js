'use strict'

// The keys of one provider: which synchronizer stands for which, and their tables in the core.
//
// Types ask for strings, but ya-syn takes whatever a Map tells apart. The core knows strings alone, so numbers, booleans
// and bigints are named in a table of their own, where 1 is no '1'.

const { randomUUID } = require('node:crypto')
const core = require('../native/core.js')
const { TableHandle, closeWith } = require('../native/handles.js')
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
    // Its synchronizer was collected, but its turn to be closed has not come: the key starts afresh.
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

/** What a synchronizer found by key is called; for every execution, so the name is made up front. */
class KeyNames {
  #space

  constructor(space, key, id, handle) {
    this.#space = space
    // Joined, because what is added up stays a chain of pieces, twice as large.
    this.synchronizerId = ['id:', id, ' key:', key].join('')
    this.handle = handle
  }

  get providerId() {
    return this.#space.providerId
  }

  get shared() {
    return this.#space.shared
  }

  get onEvent() {
    return this.#space.onEvent
  }

  get raiseOnReentrant() {
    return this.#space.raiseOnReentrant
  }

  toParams() {
    const { handle, providerId, synchronizerId } = this
    return { ...this.#space.params, providerId, synchronizerId, maxConcurrentExecution: core.limit(handle) }
  }
}

/** Refers to the synchronizer of a key, and gives the key up once it was collected. */
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
