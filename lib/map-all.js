'use strict'

// `mapAll`: the pipeline for the plain case, from an iterable of values to an array in the same order.

const { isPromise } = require('node:util/types')
const { Run } = require('./execute-tasks.js')
const { toIterator } = require('./task-sources.js')
const { checkFunction, checkLimit, checkOptions } = require('./validate.js')

/** Gives the values of an iterator as tasks that know where their result belongs. */
class NumberedTasks {
  #values
  #count = 0

  constructor(values) {
    this.#values = values
  }

  next() {
    const step = this.#values.next()
    if (typeof step?.then === 'function') return step.then((result) => this.#number(result))
    // Arrays may hold promises, as for Promise.all.
    if (typeof step.value?.then === 'function') return step.value.then((value) => this.#number({ done: step.done, value }))
    return this.#number(step)
  }

  return() {
    return this.#values.return?.()
  }

  #number({ done, value }) {
    return done ? { done, value } : { done, value: { task: value, index: this.#count++ } }
  }
}

/** A run that keeps every result and stops at the first failure. */
class CollectingRun extends Run {
  results = []

  succeeded(slot, value) {
    this.results[slot.item.index] = value
    this.finished(slot, true)
  }

  async failed(slot, error) {
    this.stop(error)
    this.finished(slot, false)
  }
}

/** Promises in an array are there from the start: one that rejects before its turn, or after the end, is no unhandled rejection. */
function handleRejections(values) {
  for (const value of values) {
    if (isPromise(value)) value.catch(() => {})
  }
}

/**
 * @param {unknown} iterable
 * @param {(value: any, index: number) => unknown} mapper
 * @param {{ maxTasksInExecution?: number, signal?: AbortSignal }} [options]
 */
async function mapAll(iterable, mapper, options) {
  checkFunction('mapper', mapper)
  checkOptions('The options of mapAll()', options)
  const { maxTasksInExecution, signal } = options ?? {}
  if (maxTasksInExecution != null) checkLimit('maxTasksInExecution', maxTasksInExecution)
  if (Array.isArray(iterable)) handleRejections(iterable)
  const run = new CollectingRun({
    maxTasksInFlight: maxTasksInExecution ?? Number.MAX_VALUE,
    maxTasksInExecution,
    taskSource: new NumberedTasks(toIterator('iterable', iterable)),
    taskExecutor: ({ task, index }) => mapper(task, index),
    signal,
  })
  await run.execute()
  return run.results
}

module.exports = { mapAll }
