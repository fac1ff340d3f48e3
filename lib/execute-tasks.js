'use strict'

// The bounded pipeline with ends in JavaScript. The core decides; here its answers are carried out.
//
// An answer of the core is one integer: a slot, times 8, plus what to do with it. Tasks are kept
// by slot, and each slot has its own callbacks, made once, so that a task costs no closure.
//
// Pulls and starts are put off to the next turn of the event loop when this one has lasted long
// enough, and run in the async context of the call of executeTasks all the same.

const { AsyncResource } = require('node:async_hooks')
const core = require('./core.js')
const { onAbort, offAbort } = require('./abort.js')
const { closeSource } = require('./close-source.js')
const { isTurnOver, nextTurn } = require('./fairness.js')
const { Progress } = require('./progress.js')
const { checkResult, checkTask, toIterator } = require('./task-sources.js')
const { checkFunction, checkLimit, checkOptionalFunction, checkOptionalSignal, invalid } = require('./validate.js')

const START = 1
const PULL = 2
const DONE = 4

/** A slot of the window, with the task that is in it now. */
class Slot {
  constructor(run, index) {
    this.index = index
    this.item = undefined
    /** What the task does instead of running: a gated one goes through its gate, one with a bad key fails. */
    this.start = undefined
    /** Lets a gated task go that will not start any more. */
    this.abandon = undefined
    this.succeed = () => run.finished(this, true)
    this.fail = (error) => run.failed(this, error)
  }
}

class Run {
  #params
  #source
  #limitPerKey
  #pipeline
  #slots = []
  #progress
  #resolve
  #over = false
  #aborted = false
  #exhausted = false
  /** Slots to start in the next turn, and `undefined` for a pull. */
  #postponed = []
  /** The first failure of the source, and the first of a handler, as `{ error }`. */
  #sourceFailure
  #handlerFailure
  #onSignal = () => this.#abort()
  // What is put off inside a task's section must not make later pulls part of that section.
  #onTurn = AsyncResource.bind(() => this.#resume())
  #onPulled = (result) => this.#pulled(result)
  #onSourceFailed = (error) => this.#sourceFailed(error)

  constructor(params, source, pipeline) {
    this.#params = params
    this.#source = source
    this.#limitPerKey = params.limitPerKey
    this.#pipeline = pipeline
    if (params.onProgress !== undefined) this.#progress = new Progress(params.onProgress, () => this.#counts())
  }

  async execute() {
    const { signal } = this.#params
    await new Promise((resolve) => {
      this.#resolve = resolve
      if (signal?.aborted) return this.#abort()
      if (signal != null) onAbort(signal, this.#onSignal)
      this.#apply(core.begin(this.#pipeline))
    })
    if (signal != null) offAbort(signal, this.#onSignal)
    this.#progress?.end()
    core.closePipeline(this.#pipeline)
    if (!this.#exhausted) await closeSource(this.#source)
    if (this.#aborted) throw signal.reason
    const failure = this.#sourceFailure ?? this.#handlerFailure
    if (failure !== undefined) throw failure.error
  }

  #apply(answer) {
    if ((answer & START) !== 0) this.#schedule(this.#slots[answer >>> 3])
    if ((answer & PULL) !== 0) this.#schedule(undefined)
    if ((answer & DONE) !== 0) {
      this.#over = true
      this.#resolve()
    }
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
    if (this.#aborted) return
    try {
      Promise.resolve(this.#source.next()).then(this.#onPulled, this.#onSourceFailed)
    } catch (error) {
      Promise.reject(error).catch(this.#onSourceFailed)
    }
  }

  #pulled(result) {
    if (this.#aborted) return
    let item
    try {
      checkResult(result)
      if (result.done) {
        this.#exhausted = true
        return this.#apply(core.sourceEnded(this.#pipeline))
      }
      item = result.value
      checkTask(item)
    } catch (error) {
      return this.#stopPulling(error)
    }
    this.#admit(item)
  }

  #sourceFailed(error) {
    if (this.#aborted) return
    this.#exhausted = true
    this.#stopPulling(error)
  }

  #stopPulling(error) {
    this.#sourceFailure = { error }
    this.#apply(core.sourceEnded(this.#pipeline))
  }

  #admit(item) {
    if (this.#limitPerKey !== undefined) return this.#admitKeyed(item)
    const answer = core.pulled(this.#pipeline)
    this.#slotFor(answer, item)
    this.#progress?.touch()
    this.#apply(answer)
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
    const answer = gated ? core.pulledGated(this.#pipeline) : core.pulledKeyed(this.#pipeline, key)
    const slot = this.#slotFor(answer, item)
    this.#progress?.touch()
    this.#apply(answer)
    if (gated) this.#gate(slot, synchronizers, key, maxTasksInExecution)
  }

  /** A task without a key takes its turn like others, and fails then. */
  #admitFault(item, error) {
    // With nobody to tell, the fault must not get lost among failed tasks.
    if (this.#params.onTaskError === undefined) this.#handlerFailure ??= { error }
    const answer = core.pulled(this.#pipeline)
    const slot = this.#slotFor(answer, item)
    slot.start = () => slot.fail(error)
    this.#apply(answer)
  }

  #slotFor(answer, item) {
    const index = answer >>> 3
    const slot = (this.#slots[index] ??= new Slot(this, index))
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
        this.#apply(core.opened(this.#pipeline, slot.index))
      })
      if (started) await taskExecutor(item)
    }
    try {
      await synchronizers.forKey(key, limit).synchronized({ signal, cb })
      if (started) slot.succeed()
    } catch (error) {
      if (started) return slot.fail(error)
      if (this.#aborted) return
      // It was not let in at all, so it fails when it has its turn.
      slot.start = () => slot.fail(error)
      this.#apply(core.opened(this.#pipeline, slot.index))
    }
  }

  #start(slot) {
    if (this.#aborted) return this.#apply(core.dropped(this.#pipeline, slot.index))
    if (slot.start !== undefined) return slot.start()
    try {
      Promise.resolve(this.#params.taskExecutor(slot.item)).then(slot.succeed, slot.fail)
    } catch (error) {
      Promise.reject(error).catch(slot.fail)
    }
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
    const answer = core.finished(this.#pipeline, slot.index, success)
    this.#progress?.touch()
    this.#apply(answer)
  }

  #abort() {
    if (this.#over) return
    this.#aborted = true
    for (const slot of this.#slots) slot?.abandon?.()
    this.#apply(core.abort(this.#pipeline))
  }

  #counts() {
    return {
      pulled: core.pulledCount(this.#pipeline),
      running: core.runningCount(this.#pipeline),
      done: core.doneCount(this.#pipeline),
      failed: core.failedCount(this.#pipeline),
    }
  }
}

async function executeTasks(params) {
  const { maxTasksInFlight, maxTasksInExecution, taskSource, taskExecutor, onTaskError, onProgress, signal, limitPerKey } =
    params ?? {}
  checkLimit('maxTasksInFlight', maxTasksInFlight)
  if (maxTasksInExecution != null) checkLimit('maxTasksInExecution', maxTasksInExecution)
  checkFunction('taskExecutor', taskExecutor)
  checkOptionalFunction('onTaskError', onTaskError)
  checkOptionalFunction('onProgress', onProgress)
  checkOptionalSignal(signal)
  if (limitPerKey !== undefined) checkLimitPerKey(limitPerKey)
  const source = toIterator('taskSource', taskSource)
  const pipeline = core.createPipeline(
    maxTasksInFlight,
    maxTasksInExecution ?? Number.MAX_VALUE,
    limitPerKey?.maxTasksInExecution ?? Number.MAX_VALUE,
  )
  await new Run(params, source, pipeline).execute()
}

function checkLimitPerKey(limitPerKey) {
  const { key, maxTasksInExecution, synchronizers } = limitPerKey ?? {}
  checkFunction('limitPerKey.key', key)
  checkLimit('limitPerKey.maxTasksInExecution', maxTasksInExecution)
  if (synchronizers !== undefined && typeof synchronizers?.forKey !== 'function') {
    throw invalid('limitPerKey.synchronizers', synchronizers, 'a SynchronizerProvider, or left out')
  }
}

module.exports = { executeTasks }
