'use strict'

// Waits that end when the process is asked to.
//
// All monitors share one listener per signal. The first SIGINT or SIGTERM ends their waits and
// takes the listeners away, so the second one ends the process as if nobody had listened.

const process = require('node:process')
const { LazyInitializer } = require('./lazy-initializer.js')
const { startTimer } = require('../base/timer.js')

const SIGNALS = ['SIGINT', 'SIGTERM']

// eslint-disable-next-line no-restricted-globals -- no module of Node.js has the class, and some realms lack it
const { DOMException } = globalThis

/**
 * What a monitor knows of the end of the process. It is no part of the monitor, so that a wait keeps it without the
 * monitor.
 */
class Termination {
  isOver = false
  /** A function for each wait, which ends it. @type {Set<() => void>} */
  waits = new Set()

  begin() {
    this.isOver = true
    for (const end of this.waits) {
      this.waits.delete(end)
      end()
    }
  }
}

/** @type {Set<WeakRef<Termination>>} */
const terminations = new Set()
const collected = new FinalizationRegistry((reference) => {
  if (terminations.delete(reference) && terminations.size === 0) unlisten()
})

function terminate() {
  unlisten()
  const references = [...terminations]
  terminations.clear()
  for (const reference of references) reference.deref()?.begin()
}

function listen() {
  for (const signal of SIGNALS) process.on(signal, terminate)
}

function unlisten() {
  for (const signal of SIGNALS) process.removeListener(signal, terminate)
}

function watch(termination) {
  if (terminations.size === 0) listen()
  const reference = new WeakRef(termination)
  terminations.add(reference)
  collected.register(termination, reference)
}

function terminationError() {
  const message = 'The process is terminating'
  if (DOMException !== undefined) return new DOMException(message, 'AbortError')
  return Object.assign(new Error(message), { name: 'AbortError', code: 20 })
}

class ProcessMonitor {
  #termination = new Termination()

  constructor() {
    this.sleep = new LazyInitializer(async () => require('node:timers/promises').setTimeout)
    watch(this.#termination)
  }

  get isTerminating() {
    return this.#termination.isOver
  }

  get isRunning() {
    return !this.isTerminating
  }

  async wait(ms) {
    const termination = this.#termination
    if (termination.isOver) throw terminationError()
    await new Promise((resolve, reject) => {
      const end = () => {
        stop()
        reject(terminationError())
      }
      termination.waits.add(end)
      // The timer refers to the termination, which must not be collected before the wait has ended.
      const stop = startTimer(ms, () => {
        termination.waits.delete(end)
        resolve(undefined)
      })
    })
  }
}

module.exports = { ProcessMonitor }
