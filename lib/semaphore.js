'use strict'

// The semaphore with re-entry and events: what a Synchronizer is, without its names.

const core = require('./core.js')
const { CoreSemaphore, HANDLE } = require('./core-semaphore.js')
const { notifyListener } = require('./listeners.js')
const { runSection } = require('./section.js')
const { checkFunction, checkOptionalFunction } = require('./validate.js')

class Semaphore extends CoreSemaphore {
  constructor(concurrentExecution, raiseOnReentrant = false) {
    super(concurrentExecution)
    this.raiseOnReentrant = raiseOnReentrant
  }

  synchronized(cb, params) {
    const { onEvent, isCanceled, throttle } = params ?? {}
    try {
      checkFunction('cb', cb)
      checkOptionalFunction('onEvent', onEvent)
      checkOptionalFunction('isCanceled', isCanceled)
    } catch (error) {
      return Promise.reject(error)
    }
    const notify = onEvent && ((type) => notifyListener('onEvent', onEvent, type))
    return runSection(this, cb, undefined, { isCanceled, throttle, notify })
  }

  get numberOfRunningTasks() {
    return core.running(this[HANDLE])
  }
}

module.exports = { Semaphore }
