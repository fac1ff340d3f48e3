'use strict'

// A run of the bounded pipeline with ends in JavaScript. The core decides, and a run carries out its answers.
// `executeTasks` takes a run as it is; `mapTasks` and `mapAll` extend it by what they do with the end of a task.
//
// An answer of the core is one integer: a slot of the window, and the bits of wire.js that say what to do. Tasks are kept by
// slot. Each slot has callbacks of its own, which are made once, so that a task costs no closure.
//
// When this turn of the event loop has lasted long enough, pulls and starts are put off to the next one. They run in the
// async context of the call of executeTasks all the same.

const { AsyncResource } = require('node:async_hooks')
const core = require('../native/core.js')
const { onAbort, offAbort } = require('../base/abort.js')
const { closeSource } = require('../sources/close-source.js')
const { answerOf } = require('../native/faults.js')
const { DONE, PULL, SLOT_SHIFT, START } = require('../native/wire.js')
const { isTurnOver, nextTurn } = require('../base/fairness.js')
const { Gates } = require('./gates.js')
const { Progress } = require('./progress.js')
const { checkResult, checkTask, toIterator } = require('../sources/task-sources.js')
const { invalid } = require('../base/validate.js')

/** A slot of the window, with the task that is in it now. */
class Slot {
  constructor(run, index) {
    this.index = index
    this.item = undefined
    /**
     * Starts the task in the executor's place: the gate of a task that needs a permit, or the failure of a task with a
     * bad key.
     */
    this.gate = undefined
    this.succeed = (value) => run.succeeded(this, value)
    this.fail = (error) => run.failed(this, error)
  }
}

class Run {
  #options
  /** The executor, and the object that it is called on. */
  #execute
  #owner
  #source
  #results
  #limitPerKey
  /** Of a run whose limit per key is that of synchronizers. @type {Gates | undefined} */
  #gates
  #progress
  #allSettled
  #resolve
  #over = false
  /** Why nothing more is pulled or started, as `{ error }`. */
  #stopped
  #exhausted = false
  /** What is put off to the next turn: slots to start, and `undefined` for a pull. */
  #postponed = []
  /** The first failure of the source, and the first of a handler, as `{ error }`. */
  #sourceFailure
  #handlerFailure
  /** The first failure of the core itself, as `{ error }`. */
  #fault
  #onSignal = () => this.stop(this.#options.signal.reason)
  // Pulls that are put off inside a task's section must not become part of that section.
  #onTurn = AsyncResource.bind(() => this.#resume())
  #onPulled = (result) => this.#pulled(result)
  #onSourceFailed = (error) => this.#sourceFailed(error)

  /**
   * `options` are those that `readRun` gives; `results` says whether and in which order the core gives results: 0, or
   * one of the orders in wire.js.
   */
  constructor(options, results = 0) {
    this.#options = options
    this.#execute = options.taskExecutor
    this.#owner = options.owner
    this.#limitPerKey = options.limitPerKey
    this.#source = toIterator('taskSource', options.taskSource)
    this.#results = results
    if (options.limitPerKey?.synchronizers !== undefined) this.#gates = new Gates(this, options.limitPerKey)
    this.#allSettled = new Promise((resolve) => {
      this.#resolve = resolve
    })
    /** The integer that stands for the pipeline in the core while it is open there, and 0 before and after. */
    this.pipeline = 0
    this.slots = []
  }

  async execute() {
    if (this.#options.signal?.aborted) this.stop(this.#options.signal.reason)
    if (this.#stopped === undefined) await this.#run().catch((error) => this.#faulted(error))
    await Promise.all([this.#exhausted ? undefined : closeSource(this.#source), this.#gates?.whenFree()])
    const failure = this.#fault ?? this.#stopped ?? this.#sourceFailure ?? this.#handlerFailure
    if (failure !== undefined) throw failure.error
  }

  async #run() {
    const { owner, maxTasksInFlight, maxTasksInExecution, signal, onProgress } = this.#options
    const inExecution = maxTasksInExecution ?? Number.MAX_VALUE
    const perKey = this.#limitPerKey?.maxTasksInExecution ?? Number.MAX_VALUE
    this.pipeline = core.createPipeline(maxTasksInFlight, inExecution, perKey, this.#results)
    try {
      if (onProgress !== undefined) this.#progress = new Progress(() => onProgress.call(owner, this.#counts()))
      if (signal !== undefined) onAbort(signal, this.#onSignal)
      this.apply(this.ask(core.begin))
      await this.#allSettled
    } finally {
      if (signal !== undefined) offAbort(signal, this.#onSignal)
      this.#progress?.end()
      this.ask(core.closePipeline)
      // The core gives the integer to another pipeline, which late news of this one must not reach.
      this.pipeline = 0
    }
  }

  /**
   * Asks the core. The answer is `undefined` when the core failed, with which the run ends, and when the pipeline is
   * closed.
   */
  ask(call, argument, success) {
    if (this.pipeline === 0) return undefined
    try {
      return call(this.pipeline, argument, success)
    } catch (error) {
      return this.#faulted(error)
    }
  }

  #faulted(error) {
    this.#fault ??= { error }
    this.stop(error)
    // The core lost count of the tasks, so there is no end to wait for.
    if (answerOf(error) === null) this.#end()
    return answerOf(error) ?? undefined
  }

  /** Does what an answer of the core says. */
  apply(answer) {
    if ((answer & START) !== 0) this.#schedule(this.slots[answer >>> SLOT_SHIFT])
    if ((answer & PULL) !== 0) this.#schedule(undefined)
    if ((answer & DONE) !== 0) this.#end()
  }

  #end() {
    if (this.#over) return
    this.#over = true
    this.over()
    this.#resolve()
  }

  /** Starts the task in `slot`, or pulls when there is none, now or in the next turn. */
  #schedule(slot) {
    // Nothing overtakes what was put off.
    if (this.#postponed.length > 0 || isTurnOver()) {
      if (this.#postponed.push(slot) === 1) nextTurn(this.#onTurn)
    } else if (slot === undefined) this.#pull()
    else this.#start(slot)
  }

  #resume() {
    const postponed = this.#postponed
    this.#postponed = []
    for (const slot of postponed) this.#schedule(slot)
  }

  #pull() {
    if (this.#stopped !== undefined) return
    try {
      Promise.resolve(this.#source.next()).then(this.#onPulled, this.#onSourceFailed)
    } catch (error) {
      Promise.reject(error).catch(this.#onSourceFailed)
    }
  }

  #pulled(result) {
    if (this.#stopped !== undefined) return
    let item
    try {
      checkResult(result)
      if (result.done) {
        this.#exhausted = true
        return this.apply(this.ask(core.sourceEnded))
      }
      item = result.value
      checkTask(item)
    } catch (error) {
      return this.#stopPulling(error)
    }
    this.#admit(item)
  }

  #sourceFailed(error) {
    if (this.#stopped !== undefined) return
    this.#exhausted = true
    this.#stopPulling(error)
  }

  #stopPulling(error) {
    this.#sourceFailure = { error }
    this.apply(this.ask(core.sourceEnded))
  }

  #admit(item) {
    if (this.#limitPerKey !== undefined) return this.#admitKeyed(item)
    const answer = this.ask(core.pulled)
    if (answer === undefined) return
    this.#slotFor(answer, item)
    this.#progress?.touch()
    this.apply(answer)
  }

  #admitKeyed(item) {
    const { key: toKey } = this.#limitPerKey
    let key
    try {
      key = toKey(item.task)
      if (typeof key !== 'string') throw invalid('What limitPerKey.key returns', key, 'a string')
    } catch (error) {
      return this.#admitFault(item, error)
    }
    // `key` is code of the user, which may have stopped the run.
    if (this.#stopped !== undefined) return
    const answer = this.#gates === undefined ? this.ask(core.pulledKeyed, key) : this.ask(core.pulledGated)
    if (answer === undefined) return
    const slot = this.#slotFor(answer, item)
    this.#progress?.touch()
    this.apply(answer)
    if (this.#stopped === undefined) this.#gates?.open(slot, key)
  }

  /** A task without a key takes its turn like others, and fails then. */
  #admitFault(item, error) {
    this.untold(error)
    const answer = this.ask(core.pulled)
    if (answer === undefined) return
    const slot = this.#slotFor(answer, item)
    slot.gate = { start: () => slot.fail(error) }
    this.apply(answer)
  }

  /**
   * Without a handler, failed tasks are not told; the caller's own mistake must be, and becomes the failure of the run.
   */
  untold(error) {
    if (this.#options.onTaskError === undefined) this.#handlerFailure ??= { error }
  }

  #slotFor(answer, item) {
    const index = answer >>> SLOT_SHIFT
    const slot = (this.slots[index] ??= new Slot(this, index))
    slot.item = item
    slot.gate = undefined
    return slot
  }

  /** The gate of the task in `slot` has its permit, or the reason why there is none. */
  opened(slot) {
    this.apply(this.ask(core.opened, slot.index))
  }

  /** The task in `slot` was to start, and will not start any more. */
  dropped(slot) {
    this.apply(this.ask(core.dropped, slot.index))
  }

  /** Calls the executor with a task. */
  perform(item) {
    return this.#execute.call(this.#owner, item)
  }

  #start(slot) {
    if (this.#stopped !== undefined) return this.dropped(slot)
    if (slot.gate !== undefined) return slot.gate.start()
    try {
      Promise.resolve(this.#execute.call(this.#owner, slot.item)).then(slot.succeed, slot.fail)
    } catch (error) {
      Promise.reject(error).catch(slot.fail)
    }
  }

  succeeded(slot, _value) {
    this.finished(slot, true)
  }

  async failed(slot, error) {
    try {
      await this.#options.onTaskError?.call(this.#options.owner, error, slot.item)
    } catch (handlerError) {
      this.#handlerFailure ??= { error: handlerError }
    }
    this.finished(slot, false)
  }

  finished(slot, success) {
    slot.item = undefined
    this.ended(this.ask(core.finished, slot.index, success))
  }

  /** Is called when all tasks that were started have settled, right before the pipeline closes. */
  over() {}

  /** A task is over, and `answer` is what the core said to that. */
  ended(answer) {
    this.#progress?.touch()
    this.apply(answer)
  }

  /** Nothing more is pulled or started; when the tasks that run have settled, the run fails with `error`. */
  stop(error) {
    if (this.#over || this.#stopped !== undefined) return
    this.#stopped = { error }
    this.#gates?.letGo(error)
    this.apply(this.ask(core.abort))
  }

  #counts() {
    return {
      pulled: core.pulledCount(this.pipeline),
      running: core.runningCount(this.pipeline),
      done: core.doneCount(this.pipeline),
      failed: core.failedCount(this.pipeline),
    }
  }
}

module.exports = { Run }
