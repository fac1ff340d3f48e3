'use strict'

// Hands out synchronizers by key, by object and alone, and what is built on them.

const { CachedProvider } = require('./cached-provider.js')
const { executeTasks } = require('./execute-tasks.js')
const { KeySpace } = require('./key-space.js')
const { mapAll } = require('./map-all.js')
const { mapTasks } = require('./map-tasks.js')
const { Synchronizer } = require('./synchronizer.js')
const { checkOptionalFunction, invalid } = require('./validate.js')

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
    return this.#space.size
  }

  nextId() {
    return this.#nextId++
  }

  forKey(key, maxConcurrentExecution) {
    return this.#space.find(key) ?? this.#space.open(key, maxConcurrentExecution ?? 1, this.nextId())
  }

  forObject(obj, maxConcurrentExecution) {
    if ((typeof obj !== 'object' || obj === null) && typeof obj !== 'function') throw invalid('obj', obj, 'an object')
    let synchronizer = this.#byObject.get(obj)
    if (synchronizer === undefined) {
      const name = obj.constructor?.name ?? 'Object'
      const synchronizerId = `id:${this.nextId()} obj:${name}`
      // An object is known to its own thread only.
      synchronizer = this.createSynchronizer({ synchronizerId, maxConcurrentExecution, scope: 'thread' })
      this.#byObject.set(obj, synchronizer)
    }
    return synchronizer
  }

  createSynchronizer(params) {
    // Without a name of its own, none of another thread can be meant.
    const scope = params?.synchronizerId === undefined ? 'thread' : this.params?.scope
    return new Synchronizer({ ...this.params, scope, providerId: this.#space.providerId, ...params })
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

module.exports = { SynchronizerProvider }
