'use strict'

// Listens to AbortSignals, with one listener per signal however many wait for it: EventTarget
// removes a listener in time proportional to how many there are.

const { addAbortListener } = require('node:events')

/** @type {WeakMap<AbortSignal, { callbacks: Set<() => void>, listener: Disposable }>} */
const listenedTo = new WeakMap()

/** Calls `callback` once when the signal aborts. It must not have aborted yet, and the callback must not throw. */
function onAbort(signal, callback) {
  let entry = listenedTo.get(signal)
  if (entry === undefined) {
    // Heard even when another listener stops the event.
    entry = { callbacks: new Set(), listener: addAbortListener(signal, () => dispatch(signal)) }
    listenedTo.set(signal, entry)
  }
  entry.callbacks.add(callback)
}

function dispatch(signal) {
  const entry = listenedTo.get(signal)
  listenedTo.delete(signal)
  for (const callback of entry?.callbacks ?? []) callback()
}

function offAbort(signal, callback) {
  const entry = listenedTo.get(signal)
  if (entry === undefined) return
  entry.callbacks.delete(callback)
  if (entry.callbacks.size > 0) return
  listenedTo.delete(signal)
  entry.listener[Symbol.dispose]()
}

module.exports = { onAbort, offAbort }
