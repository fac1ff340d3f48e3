'use strict'

// Hands out synchronizers by key, by object and alone, and what is built on them.

const { randomUUID } = require('node:crypto')
const core = require('./core.js')
const { CachedProvider } = require('./cached-provider.js')
const { executeTasks } = require('./execute-tasks.js')
const { TableHandle, closeWith } = require('./handles.js')
const { mapAll } = require('./map-all.js')
const { mapTasks } = require('./map-tasks.js')
const { Synchronizer } = require('./synchronizer.js')
const { checkOptionalFunction, invalid, invalidLimit } = require('./validate.js')

class SynchronizerProvider {
  #nextId = 0
  /** @type {WeakMap<object, Synchronizer>} */
  #byObject = new WeakMap()
  #space

  constructor(params) {
    checkOptionalFunction('onEvent', params?.onEvent)
    this.params = params
    this.#space = new KeySpace(this, params)
  }

  get numberOfKeys() {
    return core.numberOfKeys(this.#space.table)
  }

  nextId() {
    return this.#nextId++
  }

  forKey(key, maxConcurrentExecution) {
    const found = this.#space.synchronizers.get(key)?.deref()
    if (found !== undefined) return found
    return this.#space.open(key, maxConcurrentExecution ?? 1, this.nextId())
  }

  forObject(obj, maxConcurrentExecution) {
    if ((typeof obj !== 'object' || obj === null) && typeof obj !== 'function') throw invalid('obj', obj, 'an object')
    let synchronizer = this.#byObject.get(obj)
    if (synchronizer === undefined) {
      const name = obj.constructor?.name ?? 'Object'
      synchronizer = this.createSynchronizer({ synchronizerId: `id:${this.nextId()} obj:${name}`, maxConcurrentExecution })
      this.#byObject.set(obj, synchronizer)
    }
    return synchronizer
  }

  createSynchronizer(params) {
    return new Synchronizer({ ...this.params, providerId: this.#space.providerId, ...params })
  }

  createCachedProvider(params) {
    return new CachedProvider({ ...params, synchronizerProvider: this })
  }

  executeTasks(params) {
    return executeTasks(params)
  }

  mapTasks(params) {
    return mapTasks(params)
  }

  mapAll(iterable, mapper, options) {
    return mapAll(iterable, mapper, options)
  }
}

/** The keys of one provider: which synchronizer stands for which, and the table in the core. */
class KeySpace {
  /** @type {Map<string, KeyReference>} */
  synchronizers = new Map()

  constructor(provider, params) {
    this.params = params
    this.providerId = params?.providerId ?? randomUUID()
    this.onEvent = params?.onEvent
    this.table = core.createTable()
    closeWith(provider, new TableHandle(this.table))
  }

  open(key, limit, id) {
    if (typeof key !== 'string') throw invalid('key', key, 'a string')
    // Its synchronizer was collected, but its turn to be closed has not come: the key starts afresh.
    this.synchronizers.get(key)?.close()
    const handle = typeof limit === 'number' ? core.leaseKey(this.table, key, limit) : 0
    if (handle === 0) throw invalidLimit('maxConcurrentExecution', limit)
    const synchronizer = new Synchronizer(undefined, new KeyNames(this, key, limit, id, handle))
    const reference = new KeyReference(synchronizer, this.synchronizers, key, handle)
    this.synchronizers.set(key, reference)
    closeWith(synchronizer, reference)
    return synchronizer
  }
}

/** What a synchronizer found by key is called; most are never asked, so nothing is made up front. */
class KeyNames {
  #space
  #key
  #id

  constructor(space, key, limit, id, handle) {
    this.#space = space
    this.#key = key
    this.#id = id
    this.maxConcurrentExecution = limit
    this.handle = handle
  }

  get providerId() {
    return this.#space.providerId
  }

  get synchronizerId() {
    return `id:${this.#id} key:${this.#key}`
  }

  get onEvent() {
    return this.#space.onEvent
  }

  get raiseOnReentrant() {
    return this.#space.params?.raiseOnReentrant === true
  }

  toParams() {
    const { providerId, synchronizerId, maxConcurrentExecution } = this
    return { ...this.#space.params, providerId, synchronizerId, maxConcurrentExecution }
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
    core.closeSemaphore(this.handle)
    this.synchronizers.delete(this.key)
  }
}

module.exports = { SynchronizerProvider }
