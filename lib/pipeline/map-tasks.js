'use strict'

// `mapTasks`: the pipeline as an async iterator of results. A result that waits for the consumer keeps its slot in the window.
// The core says which result comes next, and the iterator hands results to the calls of `next()`.
//
// The iterator is hand-written: a generator function could not be closed while it waits for a result.

const { AsyncResource } = require('node:async_hooks')
const { CLOSE, ClosableIterator } = require('../sources/closable-iterator.js')
const core = require('../native/core.js')
const { RESULTS_AS_COMPLETED, RESULTS_IN_SOURCE_ORDER, SLOT_SHIFT } = require('../native/wire.js')
const { Run } = require('./run.js')
const { readRun } = require('./run-options.js')

/** A run whose tasks leave results in their slots. */
class MappingRun extends Run {
  #handlesErrors
  /** Whether a mapper's failure stopped the run: the results before the failure are given all the same. */
  #mapperFailed = false
  #stopped = false
  /** The results that could be taken when the pipeline closed. */
  #rest
  #onResult

  constructor(options, results, onResult) {
    super(options, results)
    this.#handlesErrors = options.onTaskError !== undefined
    this.#onResult = onResult
  }

  /** The next result for the iterator, a failure as `{ error }`, or `undefined` when there is none yet. */
  take() {
    if (this.#rest !== undefined) return this.#rest.shift()
    if (this.pipeline === 0 || this.#isAborted()) return undefined
    const answer = this.ask(core.takeResult) ?? 0
    if (answer === 0) return undefined
    const result = this.#resultOf(answer)
    this.apply(answer)
    return result
  }

  #isAborted() {
    return this.#stopped && !this.#mapperFailed
  }

  #resultOf(answer) {
    const slot = this.slots[answer >>> SLOT_SHIFT]
    const { result } = slot
    slot.result = undefined
    return result
  }

  stop(error) {
    this.#stopped = true
    super.stop(error)
  }

  succeeded(slot, value) {
    this.#settled(slot, { done: false, value }, true)
  }

  async failed(slot, error) {
    if (this.#handlesErrors) return super.failed(slot, error)
    if (!this.#stopped) {
      this.#mapperFailed = true
      this.stop(error)
    }
    this.#settled(slot, { error }, false)
  }

  #settled(slot, result, success) {
    slot.item = undefined
    slot.result = result
    this.ended(this.ask(core.settled, slot.index, success))
    this.#onResult()
  }

  /** Results may have waited for a failed task before them that was being handled. */
  finished(slot, success) {
    super.finished(slot, success)
    this.#onResult()
  }

  over() {
    this.#rest = []
    if (this.#isAborted()) return
    for (;;) {
      const answer = this.ask(core.takeResult) ?? 0
      if (answer === 0) return
      this.#rest.push(this.#resultOf(answer))
    }
  }
}

class MappedTasks extends ClosableIterator {
  #run
  /** Mappers and sources see the async context of the call of mapTasks, whoever asks for results. */
  #scope = new AsyncResource('MappedTasks')
  /** The calls of `next()` that wait. */
  #pending = []
  /** Settles, and never rejects, when the run is over. */
  #ending
  /** As `{ error }`: the failure that came in the place of a result, and the failure that the run ended with. */
  #failure
  #failureOfRun
  #ended = false
  #closed = false

  constructor(options, results) {
    super()
    this.#run = new MappingRun(options, results, () => this.#serve())
  }

  next() {
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject })
      this.#scope.runInAsyncScope(this.#serve, this)
    })
  }

  #serve() {
    if (!this.#closed) this.#start()
    while (this.#pending.length > 0 && this.#failure === undefined && !this.#closed) {
      const result = this.#run.take()
      if (result === undefined) break
      // The failure is told when all tasks that run have settled.
      if ('error' in result) this.#failure = result
      else this.#pending.shift().resolve(result)
    }
    if (this.#ended || this.#closed) this.#finish()
  }

  #start() {
    this.#ending ??= this.#run.execute().then(
      () => this.#end(undefined),
      (error) => this.#end({ error }),
    )
  }

  #end(failure) {
    this.#ended = true
    this.#failureOfRun = failure
    this.#serve()
  }

  #finish() {
    for (const { resolve, reject } of this.#pending.splice(0)) {
      const failure = this.#closed ? undefined : (this.#failure ?? this.#failureOfRun)
      this.#closed = true
      if (failure === undefined) resolve({ done: true, value: undefined })
      else reject(failure.error)
    }
  }

  async [CLOSE]() {
    this.#closed = true
    this.#run.stop(undefined)
    this.#start()
    this.#finish()
    await this.#ending
  }
}

function mapTasks(params) {
  const options = readRun(params, 'taskMapper')
  return new MappedTasks(options, params.ordered === false ? RESULTS_AS_COMPLETED : RESULTS_IN_SOURCE_ORDER)
}

module.exports = { mapTasks }
