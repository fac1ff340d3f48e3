'use strict'

// The semaphore with re-entry and events. It runs the same sections as a Synchronizer, but has no names.

const core = require('../native/core.js')
const { CoreSemaphore, HANDLE } = require('./core-semaphore.js')
const { notifyListener } = require('../base/listeners.js')
const { runSection } = require('./section.js')
const { checkFunction, checkOptionalFunction } = require('../base/validate.js')

class Semaphore extends CoreSemaphore {
  constructor(concurrentExecution, raiseOnReentrant = false) {
    super(concurrentExecution)
    this.raiseOnReentrant = raiseOnReentrant
  }

  synchronized(cb, params) {
    let call
    try {
      checkFunction('cb', cb)
      call = toCall(params ?? {})
    } catch (error) {
      return Promise.reject(error)
    }
    return runSection(this, cb, undefined, call)
  }

  get numberOfRunningTasks() {
    return core.running(this[HANDLE])
  }
}

/** Reads the options once: what becomes of the object while the execution waits changes nothing. */
function toCall({ onEvent, isCanceled, throttle }) {
  checkOptionalFunction('onEvent', onEvent)
  checkOptionalFunction('isCanceled', isCanceled)
  const notify = onEvent && ((type) => notifyListener('onEvent', onEvent, type))
  return { isCanceled, throttle, notify }
}

module.exports = { Semaphore }
