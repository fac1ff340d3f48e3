'use strict'

// Listens to AbortSignals, with one listener per signal however many wait for it: EventTarget
// removes a listener in time proportional to how many there are.

/** @type {WeakMap<AbortSignal, Set<() => void>>} */
const callbacksOf = new WeakMap()

function dispatch(event) {
  const callbacks = callbacksOf.get(event.target)
  callbacksOf.delete(event.target)
  for (const callback of callbacks ?? []) callback()
}

/** Calls `callback` once when the signal aborts. It must not have aborted yet, and the callback must not throw. */
function onAbort(signal, callback) {
  let callbacks = callbacksOf.get(signal)
  if (callbacks === undefined) {
    callbacks = new Set()
    callbacksOf.set(signal, callbacks)
    signal.addEventListener('abort', dispatch, { once: true })
  }
  callbacks.add(callback)
}

function offAbort(signal, callback) {
  const callbacks = callbacksOf.get(signal)
  if (callbacks === undefined) return
  callbacks.delete(callback)
  if (callbacks.size > 0) return
  callbacksOf.delete(signal)
  signal.removeEventListener('abort', dispatch)
}

module.exports = { onAbort, offAbort }
