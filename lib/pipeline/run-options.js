'use strict'

// Checks the options of a run. Each is read once, at the call: what becomes of the caller's object afterwards changes
// nothing, and what was checked is what is used.

const {
  checkFunction,
  checkKeyLimit,
  checkLimit,
  checkOptionalFunction,
  checkOptionalSignal,
} = require('../base/validate.js')

/** @typedef {{ key: (task: any) => string, maxTasksInExecution: number, synchronizers: any }} KeyLimit */

/**
 * The options that every kind of run takes. `executorName` is the name of the option that is called with each task. `owner` is
 * the caller's object, whose functions are called as its methods.
 */
function readRun(params, executorName) {
  const taskExecutor = params?.[executorName]
  checkFunction(executorName, taskExecutor)
  const { maxTasksInFlight, maxTasksInExecution, taskSource, onTaskError, onProgress, signal, limitPerKey } = params
  checkLimit('maxTasksInFlight', maxTasksInFlight)
  if (maxTasksInExecution != null) checkLimit('maxTasksInExecution', maxTasksInExecution)
  checkOptionalFunction('onTaskError', onTaskError)
  checkOptionalFunction('onProgress', onProgress)
  checkOptionalSignal(signal)
  return {
    owner: params,
    maxTasksInFlight,
    maxTasksInExecution,
    taskSource,
    taskExecutor,
    onTaskError,
    onProgress,
    signal: signal ?? undefined,
    limitPerKey: limitPerKey === undefined ? undefined : readLimitPerKey(limitPerKey),
  }
}

/** @returns {KeyLimit} */
function readLimitPerKey(limitPerKey) {
  const { key, maxTasksInExecution, synchronizers } = limitPerKey ?? {}
  checkFunction('limitPerKey.key', key)
  checkKeyLimit(maxTasksInExecution, synchronizers)
  return { key, maxTasksInExecution, synchronizers }
}

module.exports = { readRun }
