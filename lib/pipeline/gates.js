'use strict'

// Gates of a run whose limit per key is that of synchronizers, which others use as well: each task runs inside a section.
//
// A gate takes one task through its section. Its states, of which none comes twice:
//
//   waiting    the synchronizer was asked for a permit
//   admitted   the permit is held, and the task waits for its turn in the window
//   running    the executor has the task
//   over       the section has ended, or ends as soon as it begins
//
// A run that stops lets its gates go: those that wait leave their queues, and those that are admitted leave their sections.
// Whatever a synchronizer does afterwards, be it wrong, starts nothing any more.

const { onAbort } = require('../base/abort.js')
const { settlesSoon } = require('../sources/close-source.js')
const { SynchronizerInvalidError } = require('../base/errors.js')
const { StopSignal } = require('../base/stop-signal.js')

const WAITING = 0
const ADMITTED = 1
const RUNNING = 2
const OVER = 3

/** The gates of one run. */
class Gates {
  #run
  #limitPerKey
  /** The gates whose sections have not ended. @type {Set<Gate>} */
  #open = new Set()
  #stop = new StopSignal()
  /** Is called when no section is left. @type {(() => void) | undefined} */
  #onFree

  constructor(run, limitPerKey) {
    this.#run = run
    this.#limitPerKey = limitPerKey
    // This listener stays while no gate waits: without it, each wait would begin to listen anew, which takes longer than a
    // section.
    onAbort(this.#stop, () => {
      for (const gate of this.#open) gate.letGo()
    })
  }

  /** Asks for the permit that the task in `slot` needs. */
  open(slot, key) {
    const gate = new Gate(this.#run, slot)
    slot.gate = gate
    this.#open.add(gate)
    this.#pass(gate, key)
  }

  /** Takes a task through the section of its key. */
  async #pass(gate, key) {
    const { synchronizers, maxTasksInExecution } = this.#limitPerKey
    let failure
    try {
      await synchronizers.forKey(key, maxTasksInExecution).synchronized({ signal: this.#stop, cb: gate.enter })
    } catch (error) {
      failure = { error }
    }
    // The synchronizer may have rejected while the executor goes on.
    if (gate.isWorking) await gate.enter().catch(() => {})
    this.#open.delete(gate)
    gate.left(failure, key)
    if (this.#open.size === 0) this.#onFree?.()
  }

  /** No other task starts. */
  letGo(reason) {
    this.#stop.abort(reason)
  }

  /** Settles when all sections have ended; it does not wait for synchronizers that never let go. */
  async whenFree() {
    if (this.#open.size === 0) return
    const isFree = new Promise((resolve) => {
      this.#onFree = () => resolve(undefined)
    })
    await settlesSoon(isFree)
  }
}

class Gate {
  #run
  #slot
  #state = WAITING
  /** Whether the core counts the task as running. */
  #isStarted = false
  /** Tells the section that it is the task's turn, or that it never will be. */
  #onTurn
  /** The promise of the section's callback; a synchronizer that calls back twice gets the same promise again. */
  #work
  /** How the executor ended, as `{ value }` or `{ error }`. */
  #outcome
  /** Why the synchronizer gave up before the task had its turn, as `{ error }`. */
  #refusal

  constructor(run, slot) {
    this.#run = run
    this.#slot = slot
    /** The callback of the section. */
    this.enter = () => (this.#work ??= this.#inside())
  }

  get isWorking() {
    return this.#state === RUNNING && this.#outcome === undefined
  }

  /** The section has ended; `failure` is what the synchronizer rejected with, as `{ error }`. */
  left(failure, key) {
    if (this.#state === RUNNING) this.#finish(failure)
    else if (this.#state !== OVER) this.#refuse(failure ?? { error: unusedError(key) })
  }

  async #inside() {
    if (this.#state !== WAITING) return
    this.#state = ADMITTED
    await new Promise((resolve) => {
      this.#onTurn = resolve
      this.#run.opened(this.#slot)
    })
    if (this.#state === OVER) return this.#isStarted ? this.#run.dropped(this.#slot) : undefined
    if (this.#refusal !== undefined) return this.#fail()
    this.#state = RUNNING
    try {
      this.#outcome = { value: await this.#run.perform(this.#slot.item) }
    } catch (error) {
      this.#outcome = { error }
      throw error
    }
  }

  /** It is the task's turn in the window. */
  start() {
    this.#isStarted = true
    // The section goes on some microtasks later, and the run may stop before.
    if (this.#refusal === undefined) this.#onTurn(undefined)
    else this.#fail()
  }

  letGo() {
    if (this.#state === RUNNING) return
    this.#state = OVER
    this.#onTurn?.(undefined)
  }

  /** The task has its turn, but no permit. */
  #fail() {
    this.#isStarted = false
    this.letGo()
    this.#slot.fail(this.#refusal.error)
  }

  #finish(failure) {
    this.#state = OVER
    const ended = this.#outcome
    if ('error' in ended) this.#slot.fail(ended.error)
    else if (failure !== undefined) this.#slot.fail(failure.error)
    else this.#slot.succeed(ended.value)
  }

  /** A task that was not let in takes its turn like others, and fails then. */
  #refuse(refusal) {
    const isQueued = this.#state === ADMITTED
    this.#state = ADMITTED
    this.#refusal = refusal
    this.#run.untold(refusal.error)
    if (!isQueued) this.#run.opened(this.#slot)
  }
}

function unusedError(key) {
  return new SynchronizerInvalidError(
    `limitPerKey.synchronizers must run each callback inside a section, but forKey(${JSON.stringify(key)}) ended the section before the task had run`,
  )
}

module.exports = { Gates }
