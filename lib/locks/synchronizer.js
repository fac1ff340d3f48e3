'use strict'

// A named semaphore with events, time limits, throttling, cancellation and guards.

const { eitherSignal } = require('../base/abort.js')
const core = require('../native/core.js')
const { HANDLE } = require('./core-semaphore.js')
const { SynchronizerReentrantExecutionError } = require('../base/errors.js')
const { nextExecutionId } = require('./execution-id.js')
const { SynchronizerGuard } = require('./guard.js')
const { notifyListener } = require('../base/listeners.js')
const { OwnNames } = require('./names.js')
const { SHARED, identityOf } = require('./process-scope.js')
const { isInside } = require('./reentry.js')
const { admit, admitted, leave, runSection } = require('./section.js')
const { View } = require('./view.js')
const { checkFunction, checkOptionalFunction, checkOptionalSignal, checkOptions } = require('../base/validate.js')

class Synchronizer {
  #names
  #params

  /**
   * `names`, when given, take the place of `params` and have a semaphore that is already open: a provider makes one
   * synchronizer per key, and most of them are never asked for their parameters.
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
    const signal = options?.signal
    const bound = toBound(ms)
    return new View(this, (params) => this.#run(params, bound, false, signal))
  }

  throttle(options) {
    checkOptions('The options of throttle()', options)
    const signal = options?.signal
    return new View(this, (params) => this.#run(params, undefined, true, signal))
  }

  async acquire(params) {
    checkOptions('What acquire() takes', params)
    const { timeout, executionId, signal = undefined } = params ?? {}
    checkOptionalSignal(signal)
    const context = this.#createContext(executionId)
    if (isInside(identityOf(this))) throw new SynchronizerReentrantExecutionError(context)
    const call = {
      signal: signal ?? undefined,
      timeout: toBound(timeout),
      throttle: false,
      isCanceled: undefined,
      context,
      notify: this.#notifier(context),
    }
    admitted(this, call, await admit(this, call))
    return new SynchronizerGuard(() => leave(this, call))
  }

  emitEvent(type, context) {
    const { onEvent } = this.#names
    if (onEvent !== undefined) notifyListener('onEvent', onEvent, { type, stats: this.stats, context })
  }

  #run(params, timeout, throttle, viewSignal) {
    try {
      const options = typeof params === 'function' ? { cb: params } : (params ?? {})
      return this.#start(options, timeout, throttle, viewSignal)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Reads the options once: what becomes of the object while the execution waits changes nothing. */
  #start({ cb, executionId, isCanceled, signal, throttle }, timeout, throttled, viewSignal) {
    checkFunction('cb', cb)
    checkOptionalFunction('isCanceled', isCanceled)
    checkOptionalSignal(signal)
    checkOptionalSignal(viewSignal)
    const context = this.#createContext(executionId)
    return runSection(this, cb, context, {
      signal: eitherSignal(signal, viewSignal),
      timeout,
      throttle: throttled || throttle === true,
      isCanceled,
      context,
      notify: this.#notifier(context),
    })
  }

  #createContext(executionId) {
    const { providerId, synchronizerId } = this.#names
    return { providerId, synchronizerId, executionId: executionId ?? nextExecutionId() }
  }

  /** What tells events, or `undefined` when nobody listens; a subclass may listen by overriding `emitEvent`. */
  #notifier(context) {
    if (this.#names.onEvent === undefined && this.emitEvent === Synchronizer.prototype.emitEvent) return undefined
    return (type) => notifyListener('emitEvent', () => this.emitEvent(type, context))
  }
}

/** The time limit in milliseconds. Infinity is no limit, so that no timer keeps the process alive for it. */
function toBound(ms) {
  return ms == null || ms === Infinity ? undefined : Number(ms)
}

module.exports = { Synchronizer }
