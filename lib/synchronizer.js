'use strict'

// A named semaphore with events, time limits, throttling, cancellation and guards.

const { randomUUID } = require('node:crypto')
const core = require('./core.js')
const { HANDLE, openSemaphore } = require('./core-semaphore.js')
const { SynchronizerReentrantExecutionError } = require('./errors.js')
const { nextExecutionId } = require('./execution-id.js')
const { SynchronizerGuard } = require('./guard.js')
const { notifyListener } = require('./listeners.js')
const { SHARED, identityOf, isShared, leaseShared } = require('./process-scope.js')
const { isInside } = require('./reentry.js')
const { admit, admitted, leave, runSection } = require('./section.js')
const { checkFunction, checkOptionalFunction, checkOptionalSignal, checkOptions, invalid } = require('./validate.js')

class Synchronizer {
  #names
  #params

  /**
   * `names` supplies the parameters instead, and a handle that is already open: the provider makes
   * one synchronizer per key, and most of them are never asked for their parameters.
   */
  constructor(params, names) {
    this.#names = names ?? new OwnNames(this, params ?? {})
    this[HANDLE] = this.#names.handle
    this[SHARED] = this.#names.shared ? core.identity(this[HANDLE]) : undefined
    this.#params = undefined
  }

  get params() {
    return (this.#params ??= this.#names.toParams())
  }

  get providerId() {
    return this.#names.providerId
  }

  get synchronizerId() {
    return this.#names.synchronizerId
  }

  get raiseOnReentrant() {
    return this.#names.raiseOnReentrant
  }

  get stats() {
    return {
      maxConcurrentExecution: core.limit(this[HANDLE]),
      numberOfTasks: core.tasks(this[HANDLE]),
      numberOfRunningTasks: core.running(this[HANDLE]),
    }
  }

  synchronized(params) {
    return this.#run(params, undefined, false, undefined)
  }

  timeout(ms, options) {
    checkOptions('The options of timeout()', options)
    return new View(this, (params) => this.#run(params, toBound(ms), false, options?.signal))
  }

  throttle(options) {
    checkOptions('The options of throttle()', options)
    return new View(this, (params) => this.#run(params, undefined, true, options?.signal))
  }

  async acquire(params) {
    checkOptions('What acquire() takes', params)
    const { timeout, executionId } = params ?? {}
    const signal = params?.signal ?? undefined
    checkOptionalSignal(signal)
    const context = this.#createContext(executionId)
    if (isInside(identityOf(this))) throw new SynchronizerReentrantExecutionError(context)
    const call = { signal, timeout: toBound(timeout), throttle: false, isCanceled: undefined, context, notify: this.#notifier(context) }
    admitted(this, call, await admit(this, call))
    return new SynchronizerGuard(() => leave(this, call))
  }

  emitEvent(type, context) {
    const { onEvent } = this.#names
    if (onEvent !== undefined) notifyListener('onEvent', onEvent, { type, stats: this.stats, context })
  }

  #run(params, timeout, throttle, viewSignal) {
    let full
    let signal
    try {
      full = typeof params === 'function' ? { cb: params } : (params ?? {})
      checkFunction('cb', full.cb)
      checkOptionalFunction('isCanceled', full.isCanceled)
      signal = eitherSignal(full.signal, viewSignal)
    } catch (error) {
      return Promise.reject(error)
    }
    const context = this.#createContext(full.executionId)
    return runSection(this, full.cb, context, {
      signal,
      timeout,
      throttle: throttle || full.throttle === true,
      isCanceled: full.isCanceled,
      context,
      notify: this.#notifier(context),
    })
  }

  #createContext(executionId) {
    const { providerId, synchronizerId } = this.#names
    return { providerId, synchronizerId, executionId: executionId ?? nextExecutionId() }
  }

  /** Nothing when nobody would hear it; a subclass hears it by overriding `emitEvent`. */
  #notifier(context) {
    if (this.#names.onEvent === undefined && this.emitEvent === Synchronizer.prototype.emitEvent) return undefined
    return (type) => notifyListener('emitEvent', () => this.emitEvent(type, context))
  }
}

/** Aborts with the first of the two, where there are both: that of a call and that of its view. */
function eitherSignal(one, other) {
  checkOptionalSignal(one)
  checkOptionalSignal(other)
  if (one == null || other == null || one === other) return one ?? other ?? undefined
  return AbortSignal.any([one, other])
}

/** The parameters of a synchronizer that was made with them. */
class OwnNames {
  constructor(owner, params) {
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

/** The time limit in milliseconds; none for Infinity, so that no timer keeps the process for it. */
function toBound(ms) {
  return ms == null || ms === Infinity ? undefined : Number(ms)
}

/** What `timeout()` and `throttle()` return. */
class View {
  #synchronizer
  #run

  constructor(synchronizer, run) {
    this.#synchronizer = synchronizer
    this.#run = run
  }

  get stats() {
    return this.#synchronizer.stats
  }

  synchronized(params) {
    return this.#run(params)
  }
}

module.exports = { Synchronizer }
