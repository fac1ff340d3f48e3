'use strict'

// `mapTasks`: the pipeline as an async iterator of results. A result that waits for the consumer keeps its place
// in the window, and the core says which one comes next; here they are handed to whoever asked.
//
// A hand-written iterator: a generator function could not be closed while it waits for a result.

const { AsyncResource } = require('node:async_hooks')
const { CLOSE, ClosableIterator } = require('../sources/closable-iterator.js')
const core = require('../native/core.js')
const { RESULTS, Run } = require('./execute-tasks.js')
const { readRun } = require('./run-options.js')

/** A run whose tasks leave results in their slots. */
class MappingRun extends Run {
  #handlesErrors
  /** Whether it was a mapper that stopped the run: what came before its failure is given all the same. */
  #mapperFailed = false
  #stopped = false
  /** What could be taken when the pipeline closed. */
  #rest
  #onResult

  constructor(options, results, onResult) {
    super(options, results)
    this.#handlesErrors = options.onTaskError !== undefined
    this.#onResult = onResult
  }

  /** The next result for the iterator, a failure as `{ error }`, or nothing yet. */
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
    const slot = this.slots[answer >>> 4]
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

  /** A failed task that was handled may have been in the way of the results after it. */
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
  /** Calls of `next()` that wait. */
  #pending = []
  /** Settles, and never rejects, when the run is over. */
  #ending
  /** The failure that ends the iteration where it is its turn, and the one that the run ended with, as `{ error }`. */
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
      // It is told when all that runs has settled.
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
  return new MappedTasks(options, params.ordered === false ? RESULTS.asCompleted : RESULTS.inSourceOrder)
}

module.exports = { mapTasks }
