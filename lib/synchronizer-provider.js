'use strict'

// The provider: hands out synchronizers by key, by object and alone, and what is built on them. It stands at the root of
// lib/, since it stands on the folders for locks, the pipeline and values, and none of them may load from another.

const { CachedProvider } = require('./values/cached-provider.js')
const { executeTasks } = require('./pipeline/execute-tasks.js')
const { KeySpace } = require('./locks/key-space.js')
const { mapAll } = require('./pipeline/map-all.js')
const { mapTasks } = require('./pipeline/map-tasks.js')
const { PARAMS } = require('./locks/names.js')
const { Synchronizer } = require('./locks/synchronizer.js')
const { invalid, readOnce } = require('./base/validate.js')

const CACHE_PARAMS = ['cacheTimestamp', 'defaultTTL', 'factory']

class SynchronizerProvider {
  #nextId = 0
  /** @type {WeakMap<object, Synchronizer>} */
  #byObject = new WeakMap()
  /** @type {WeakMap<object, Synchronizer>} */
  #byObjectKey = new WeakMap()
  #space

  constructor(params) {
    this.params = params
    this.#space = new KeySpace(this, readOnce(params, PARAMS))
  }

  get numberOfKeys() {
    return this.#space.size
  }

  nextId() {
    return this.#nextId++
  }

  forKey(key, maxConcurrentExecution) {
    return this.#space.find(key) ?? this.#openKey(key, maxConcurrentExecution)
  }

  #openKey(key, maxConcurrentExecution) {
    // As in ya-syn, an object is a key by its identity. Kept weakly, or one that refers to its own lock would stay for good.
    if (isObject(key) && !this.#space.shared) {
      return this.#ofObject(this.#byObjectKey, key, maxConcurrentExecution, () => `key:${key}`)
    }
    return this.#space.open(key, maxConcurrentExecution ?? 1, this.nextId())
  }

  forObject(obj, maxConcurrentExecution) {
    if (!isObject(obj)) throw invalid('obj', obj, 'an object')
    return this.#ofObject(this.#byObject, obj, maxConcurrentExecution, () => `obj:${obj.constructor?.name ?? 'Object'}`)
  }

  #ofObject(synchronizers, obj, maxConcurrentExecution, toName) {
    let synchronizer = synchronizers.get(obj)
    if (synchronizer === undefined) {
      const synchronizerId = `id:${this.nextId()} ${toName()}`
      // An object is known to its own thread only.
      synchronizer = this.createSynchronizer({ synchronizerId, maxConcurrentExecution, scope: 'thread' })
      synchronizers.set(obj, synchronizer)
    }
    return synchronizer
  }

  createSynchronizer(params) {
    // Without a name of its own, none of another thread can be meant.
    const own = readOnce(params, PARAMS)
    const { params: inherited, providerId } = this.#space
    const scope = own.synchronizerId === undefined ? 'thread' : inherited.scope
    return new Synchronizer({ ...inherited, scope, providerId, ...own })
  }

  createCachedProvider(params) {
    return new CachedProvider({ ...readOnce(params, CACHE_PARAMS), synchronizerProvider: this })
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

function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

module.exports = { SynchronizerProvider }
