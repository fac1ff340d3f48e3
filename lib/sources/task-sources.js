'use strict'

// Task sources, which are iterators of `{ task }`: the checks of what users give as one, and the helpers that make one.

const { isPromise } = require('node:util/types')
const { CLOSE, ClosableIterator } = require('./closable-iterator.js')
const { closeSource } = require('./close-source.js')
const { SynchronizerInvalidError } = require('../base/errors.js')
const { promiseOf } = require('../base/promise-likes.js')
const { checkLimit, invalid, show } = require('../base/validate.js')

/** The iterator behind an async iterable, a sync iterable or an object with only `next()`. */
function toIterator(name, source) {
  const open = source?.[Symbol.asyncIterator] ?? source?.[Symbol.iterator]
  const remedy = 'an (async) iterator or an (async) iterable'
  if (typeof open === 'function' && typeof source !== 'string') {
    const iterator = open.call(source)
    if ((typeof iterator !== 'object' && typeof iterator !== 'function') || iterator === null)
      throw invalid(`The iterator of ${name}`, iterator, remedy)
    return iterator
  }
  if (typeof source?.next === 'function') return source
  throw invalid(name, source, remedy)
}

/** Throws at what `next()` of a source gave instead of a result. */
function checkResult(result) {
  if (typeof result !== 'object' || result === null)
    throw invalid('What next() of a source gives', result, 'an object { done, value }')
}

/** Throws at what a source gave instead of a task. */
function checkTask(item) {
  if (typeof item === 'object' && item !== null && 'task' in item) return
  throw new SynchronizerInvalidError(
    `taskSource must give objects like { task }, but gave ${show(item)}; wrap plain values with toTasks()`,
  )
}

/**
 * A source that reads another one. The iterator is hand-written: a generator function could be closed neither before its
 * start nor while it waits, and the source that it reads would stay open.
 */
class WrappedSource extends ClosableIterator {
  #source
  #cut
  #tasks = []
  /** How many of these tasks were given. */
  #given = 0
  #isOver = false
  /** The number of calls of `next()` that have not settled, which take turns, and the last of these calls. */
  #calls = 0
  #last
  /** Ends the wait for the source's answer. */
  #release

  /**
   * `cut` makes tasks of a result of the source. At the end of the source it is called without one, and makes the last
   * tasks.
   */
  constructor(source, cut) {
    super()
    this.#source = source
    this.#cut = cut
  }

  next() {
    const turn = () => this.#next()
    this.#last = this.#calls++ === 0 ? this.#next() : this.#last.then(turn, turn)
    return this.#last
  }

  async #next() {
    try {
      while (this.#given === this.#tasks.length && !this.#isOver) {
        const read = this.#read()
        const result = isPromise(read) ? await read : read
        if (!this.#isOver) this.#take(result)
      }
    } catch (error) {
      await this[CLOSE]()
      throw error
    } finally {
      this.#calls--
    }
    if (this.#given === this.#tasks.length) return { done: true, value: undefined }
    return { done: false, value: { task: this.#tasks[this.#given++] } }
  }

  /** The next result of the source, or a promise of the result, which closing settles too. */
  #read() {
    try {
      const result = this.#source.next()
      const promise = promiseOf(result)
      if (promise === undefined) return result
      return new Promise((resolve, reject) => {
        this.#release = resolve
        promise.then(resolve, (error) => reject(this.#failed(error)))
      })
    } catch (error) {
      throw this.#failed(error)
    }
  }

  /** The source has failed, so it needs no closing. */
  #failed(error) {
    this.#isOver = true
    return error
  }

  #take(result) {
    checkResult(result)
    const { done } = result
    this.#tasks = done ? this.#cut() : this.#cut(result)
    this.#given = 0
    this.#isOver = Boolean(done)
  }

  async [CLOSE]() {
    this.#tasks = []
    this.#given = 0
    if (this.#isOver) return
    this.#isOver = true
    this.#release?.(undefined)
    await closeSource(this.#source)
  }
}

function toTasks(iterable) {
  return new WrappedSource(toIterator('iterable', iterable), (result) => (result === undefined ? [] : [result.value]))
}

function rebatchTasks(source, size) {
  checkLimit('size', size)
  let batch = []
  return new WrappedSource(toIterator('source', source), (result) => {
    if (result === undefined) return batch.length > 0 ? [batch] : []
    const { value } = result
    checkTask(value)
    const { task } = value
    if (!Array.isArray(task)) throw invalid('A task to be re-cut', task, 'an array')
    const batches = []
    for (const element of task) {
      if (batch.push(element) < size) continue
      batches.push(batch)
      batch = []
    }
    return batches
  })
}

module.exports = { checkResult, checkTask, rebatchTasks, toIterator, toTasks }
