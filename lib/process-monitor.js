'use strict'

// Waits that end when the process is asked to.
//
// All monitors share one listener per signal. The first SIGINT or SIGTERM ends their waits and
// takes the listeners away, so the second one ends the process as if nobody had listened.

const { onAbort, offAbort } = require('./abort.js')
const { LazyInitializer } = require('./lazy-initializer.js')
const { startTimer } = require('./timer.js')

const SIGNALS = ['SIGINT', 'SIGTERM']

/** @type {Set<WeakRef<AbortController>>} */
const controllers = new Set()
const collected = new FinalizationRegistry((reference) => {
  if (controllers.delete(reference) && controllers.size === 0) unlisten()
})

function terminate() {
  unlisten()
  const references = [...controllers]
  controllers.clear()
  for (const reference of references) reference.deref()?.abort()
}

function listen() {
  for (const signal of SIGNALS) process.on(signal, terminate)
}

function unlisten() {
  for (const signal of SIGNALS) process.removeListener(signal, terminate)
}

function watch(controller) {
  if (controllers.size === 0) listen()
  const reference = new WeakRef(controller)
  controllers.add(reference)
  collected.register(controller, reference)
}

class ProcessMonitor {
  #controller = new AbortController()

  constructor() {
    this.sleep = new LazyInitializer(async () => (await import('node:timers/promises')).setTimeout)
    watch(this.#controller)
  }

  get isTerminating() {
    return this.#controller.signal.aborted
  }

  get isRunning() {
    return !this.isTerminating
  }

  async wait(ms) {
    this.#controller.signal.throwIfAborted()
    await new Promise((resolve, reject) => {
      const onSignal = () => {
        stop()
        reject(new DOMException('The process is terminating', 'AbortError'))
      }
      // The timer keeps the controller, or nobody would be left to abort the wait.
      const stop = startTimer(ms, () => {
        offAbort(this.#controller.signal, onSignal)
        resolve(undefined)
      })
      onAbort(this.#controller.signal, onSignal)
    })
  }
}

module.exports = { ProcessMonitor }
