'use strict'

// What a synchronizer is made with: its names, its listener, its semaphore in the core, and the parameters that it tells.

const { randomUUID } = require('node:crypto')
const core = require('../native/core.js')
const { checkOptionalFunction, invalid, readOnce } = require('../base/validate.js')
const { openSemaphore } = require('./core-semaphore.js')
const { isShared, leaseShared } = require('./process-scope.js')

const PARAMS = ['maxConcurrentExecution', 'onEvent', 'providerId', 'raiseOnReentrant', 'scope', 'synchronizerId']

/** The names and parameters of a synchronizer that was made with its own. */
class OwnNames {
  constructor(owner, given) {
    const params = readOnce(given, PARAMS)
    const { maxConcurrentExecution, onEvent, synchronizerId } = params
    checkOptionalFunction('onEvent', onEvent)
    this.shared = isShared(params.scope)
    if (this.shared && typeof synchronizerId !== 'string') {
      throw invalid('synchronizerId', synchronizerId, "a string for a synchronizer of scope 'process'")
    }
    const create = this.shared ? (limit) => leaseShared(synchronizerId, limit) : core.createSemaphore
    this.handle = openSemaphore(owner, 'maxConcurrentExecution', maxConcurrentExecution ?? 1, create)
    this.params = params
    this.providerId = params.providerId ?? randomUUID()
    this.synchronizerId = params.synchronizerId ?? randomUUID()
    this.onEvent = onEvent
    this.raiseOnReentrant = params.raiseOnReentrant === true
  }

  toParams() {
    const { handle, params, providerId, synchronizerId } = this
    return { ...params, providerId, synchronizerId, maxConcurrentExecution: core.limit(handle) }
  }
}

/** The names and parameters of a synchronizer that a provider found by key. */
class KeyNames {
  #space

  constructor(space, key, id, handle) {
    this.#space = space
    // Every execution names it, so the text is made once. Text that `+` makes stays a chain of its parts, twice as large.
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

module.exports = { KeyNames, OwnNames, PARAMS }
