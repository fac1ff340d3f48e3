'use strict'

// The bounded pipeline with ends in JavaScript. The core decides; here its answers are carried out.
// `executeTasks` runs it as it is; `mapTasks` and `mapAll` give it other ideas of what a task's end means.
//
// An answer of the core is one integer: a slot, times 16, plus what to do with it. Tasks are kept
// by slot, and each slot has its own callbacks, made once, so that a task costs no closure.
//
// Pulls and starts are put off to the next turn of the event loop when this one has lasted long
// enough, and run in the async context of the call of executeTasks all the same.

const { AsyncResource } = require('node:async_hooks')
const core = require('./core.js')
const { onAbort, offAbort } = require('./abort.js')
const { closeSource } = require('./close-source.js')
const { answerOf } = require('./faults.js')
const { isTurnOver, nextTurn } = require('./fairness.js')
const { RUN_NATIVE } = require('./native-ends.js')
const { Progress } = require('./progress.js')
const { checkResult, checkTask, toIterator } = require('./task-sources.js')
const { checkFunction, checkKeyLimit, checkLimit, checkOptionalFunction, checkOptionalSignal, invalid } = require('./validate.js')

const START = 1
const PULL = 2
const DONE = 4

/** The orders in which the core gives results. */
const RESULTS = { inSourceOrder: 1, asCompleted: 2 }

/** A slot of the window, with the task that is in it now. */
class Slot {
  constructor(run, index) {
    this.index = index
    this.item = undefined
    /** What the task does instead of running: a gated one goes through its gate, one with a bad key fails. */
    this.start = undefined
    /** Lets a gated task go that will not start any more. */
    this.abandon = undefined
    this.succeed = (value) => run.succeeded(this, value)
    this.fail = (error) => run.failed(this, error)
  }
}

class Run {
  #params
  #source
  #results
  #limitPerKey
  #progress
  #allSettled
  #resolve
  #over = false
  /** Why nothing else is pulled or started, as `{ error }`. */
  #stopped
  #exhausted = false
  /** Slots to start in the next turn, and `undefined` for a pull. */
  #postponed = []
  /** The first failure of the source, and the first of a handler, as `{ error }`. */
  #sourceFailure
  #handlerFailure
  /** The first failure of the core itself, as `{ error }`. */
  #fault
  #onSignal = () => this.stop(this.#params.signal.reason)
  // What is put off inside a task's section must not make later pulls part of that section.
  #onTurn = AsyncResource.bind(() => this.#resume())
  #onPulled = (result) => this.#pulled(result)
  #onSourceFailed = (error) => this.#sourceFailed(error)

  /** `results` says whether and in which order the core gives results: 0, or one of `RESULTS`. */
  constructor(params, results = 0) {
    checkRun(params)
    this.#params = params
    this.#source = toIterator('taskSource', params.taskSource)
    this.#results = results
    this.#limitPerKey = params.limitPerKey
    this.#allSettled = new Promise((resolve) => {
      this.#resolve = resolve
    })
    /** The integer that stands for the pipeline in the core, while it runs. */
    this.pipeline = 0
    this.slots = []
  }

  async execute() {
    if (this.#params.signal?.aborted) this.stop(this.#params.signal.reason)
    if (this.#stopped === undefined) await this.#run().catch((error) => this.#faulted(error))
    if (!this.#exhausted) await closeSource(this.#source)
    const failure = this.#fault ?? this.#stopped ?? this.#sourceFailure ?? this.#handlerFailure
    if (failure !== undefined) throw failure.error
  }

  async #run() {
    const { maxTasksInFlight, maxTasksInExecution, signal, onProgress } = this.#params
    const limits = [maxTasksInExecution, this.#limitPerKey?.maxTasksInExecution].map((limit) => limit ?? Number.MAX_VALUE)
    this.pipeline = core.createPipeline(maxTasksInFlight, ...limits, this.#results)
    if (onProgress !== undefined) this.#progress = new Progress(onProgress, () => this.#counts())
    if (signal != null) onAbort(signal, this.#onSignal)
    this.apply(this.ask(core.begin))
    await this.#allSettled
    if (signal != null) offAbort(signal, this.#onSignal)
    this.#progress?.end()
    this.ask(core.closePipeline)
  }

  /** Asks the core, which answers `undefined` when it failed: the run ends with that error then. */
  ask(call, argument, success) {
    try {
      return call(this.pipeline, argument, success)
    } catch (error) {
      return this.#faulted(error)
    }
  }

  #faulted(error) {
    this.#fault ??= { error }
    this.stop(error)
    // Nobody knows any more what is to be waited for.
    if (answerOf(error) === null) this.#end()
    return answerOf(error) ?? undefined
  }

  /** Does what an answer of the core says. */
  apply(answer) {
    if ((answer & START) !== 0) this.#schedule(this.slots[answer >>> 4])
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
    // Nobody overtakes those who were put off.
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
    const { key: toKey, maxTasksInExecution, synchronizers } = this.#limitPerKey
    let key
    try {
      key = toKey(item.task)
      if (typeof key !== 'string') throw invalid('What limitPerKey.key returns', key, 'a string')
    } catch (error) {
      return this.#admitFault(item, error)
    }
    const gated = synchronizers !== undefined
    const answer = gated ? this.ask(core.pulledGated) : this.ask(core.pulledKeyed, key)
    if (answer === undefined) return
    const slot = this.#slotFor(answer, item)
    this.#progress?.touch()
    this.apply(answer)
    if (gated) this.#gate(slot, synchronizers, key, maxTasksInExecution)
  }

  /** A task without a key takes its turn like others, and fails then. */
  #admitFault(item, error) {
    // With nobody to tell, the fault must not get lost among failed tasks.
    if (this.#params.onTaskError === undefined) this.#handlerFailure ??= { error }
    const answer = this.ask(core.pulled)
    if (answer === undefined) return
    const slot = this.#slotFor(answer, item)
    slot.start = () => slot.fail(error)
    this.apply(answer)
  }

  #slotFor(answer, item) {
    const index = answer >>> 4
    const slot = (this.slots[index] ??= new Slot(this, index))
    slot.item = item
    slot.start = undefined
    return slot
  }

  /** Runs the task inside the section of a synchronizer that others use as well. */
  async #gate(slot, synchronizers, key, limit) {
    const { signal, taskExecutor } = this.#params
    const { item } = slot
    let started = false
    const cb = async () => {
      await new Promise((resolve) => {
        slot.start = () => {
          started = true
          resolve(undefined)
        }
        slot.abandon = resolve
        this.apply(this.ask(core.opened, slot.index))
      })
      if (started) await taskExecutor(item)
    }
    try {
      await synchronizers.forKey(key, limit).synchronized({ signal, cb })
      if (started) slot.succeed()
    } catch (error) {
      if (started) return slot.fail(error)
      if (this.#stopped !== undefined) return
      // It was not let in at all, so it fails when it has its turn.
      slot.start = () => slot.fail(error)
      this.apply(this.ask(core.opened, slot.index))
    }
  }

  #start(slot) {
    if (this.#stopped !== undefined) return this.apply(this.ask(core.dropped, slot.index))
    if (slot.start !== undefined) return slot.start()
    try {
      Promise.resolve(this.#params.taskExecutor(slot.item)).then(slot.succeed, slot.fail)
    } catch (error) {
      Promise.reject(error).catch(slot.fail)
    }
  }

  succeeded(slot, _value) {
    this.finished(slot, true)
  }

  async failed(slot, error) {
    try {
      await this.#params.onTaskError?.(error, slot.item)
    } catch (handlerError) {
      this.#handlerFailure ??= { error: handlerError }
    }
    this.finished(slot, false)
  }

  finished(slot, success) {
    slot.item = undefined
    slot.abandon = undefined
    this.ended(this.ask(core.finished, slot.index, success))
  }

  /** All that was started has settled; the pipeline closes right after. */
  over() {}

  /** A task is over, and the core said what follows. */
  ended(answer) {
    this.#progress?.touch()
    this.apply(answer)
  }

  /** Nothing else is pulled or started; when what runs has settled, the run fails with `error`. */
  stop(error) {
    if (this.#over || this.#stopped !== undefined) return
    this.#stopped = { error }
    if (this.pipeline === 0) return
    for (const slot of this.slots) slot?.abandon?.()
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

async function executeTasks(params) {
  checkFunction('taskExecutor', params?.taskExecutor)
  const runNative = params.taskExecutor[RUN_NATIVE]
  if (runNative !== undefined) {
    checkRun(params)
    const ended = runNative(params)
    if (ended !== undefined) return ended
  }
  await new Run(params).execute()
}

/** Checks what every kind of run takes. */
function checkRun({ maxTasksInFlight, maxTasksInExecution, onTaskError, onProgress, signal, limitPerKey }) {
  checkLimit('maxTasksInFlight', maxTasksInFlight)
  if (maxTasksInExecution != null) checkLimit('maxTasksInExecution', maxTasksInExecution)
  checkOptionalFunction('onTaskError', onTaskError)
  checkOptionalFunction('onProgress', onProgress)
  checkOptionalSignal(signal)
  if (limitPerKey !== undefined) checkLimitPerKey(limitPerKey)
}

function checkLimitPerKey(limitPerKey) {
  const { key, maxTasksInExecution, synchronizers } = limitPerKey ?? {}
  checkFunction('limitPerKey.key', key)
  checkKeyLimit(maxTasksInExecution, synchronizers)
}

module.exports = { RESULTS, Run, executeTasks }
