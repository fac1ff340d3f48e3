'use strict'

// `mapAll`: the pipeline for the plain case, from an iterable of values to an array in the same order.

const { isPromise, isSet } = require('node:util/types')
const { closeSource } = require('../sources/close-source.js')
const { Run } = require('./run.js')
const { promiseOf } = require('../base/promise-likes.js')
const { readRun } = require('./run-options.js')
const { checkResult, toIterator } = require('../sources/task-sources.js')
const { checkFunction, checkLimit, checkOptions } = require('../base/validate.js')

/** Gives the values of an iterator as tasks that know where their result belongs. */
class NumberedTasks {
  #values
  #count = 0

  constructor(values) {
    this.#values = values
  }

  next() {
    const step = this.#values.next()
    const promise = promiseOf(step)
    return promise === undefined ? this.#take(step) : promise.then((result) => this.#take(result))
  }

  /** The values may be promises, as for Promise.all. */
  #take(result) {
    checkResult(result)
    const { done, value } = result
    if (done) return { done: true, value: undefined }
    const promise = promiseOf(value)
    if (promise === undefined) return { done: false, value: { task: value, index: this.#count++ } }
    return promise.then(
      (task) => this.#number(task),
      (error) => this.#closeAfter(error),
    )
  }

  #number(task) {
    return { done: false, value: { task, index: this.#count++ } }
  }

  /** The iterable has not ended when a promise that it gave rejects. @returns {Promise<any>} */
  async #closeAfter(error) {
    await closeSource(this.#values)
    throw error
  }

  return() {
    return this.#values.return?.()
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

/**
 * The promises in a collection exist from the start: one that rejects before its turn, or after the end, must be no
 * unhandled rejection.
 */
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
  if (Array.isArray(iterable) || isSet(iterable)) handleRejections(iterable)
  const params = {
    maxTasksInFlight: maxTasksInExecution ?? Number.MAX_VALUE,
    maxTasksInExecution,
    taskSource: new NumberedTasks(toIterator('iterable', iterable)),
    taskExecutor: ({ task, index }) => mapper(task, index),
    signal,
  }
  const run = new CollectingRun(readRun(params, 'taskExecutor'))
  await run.execute()
  return run.results
}

module.exports = { mapAll }
