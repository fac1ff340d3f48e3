'use strict'

// Listens to AbortSignals. Each signal has one listener, however many callbacks wait for it, because an EventTarget removes
// a listener in time proportional to the number of its listeners.
//
// A signal may be of another realm, or an object that only looks like a signal. `onAbort` throws what such an object throws
// when it is listened to, and then no callback waits for it. `offAbort` never throws.

const { addAbortListener } = require('node:events')
const { tellSafely } = require('../native/faults.js')

/** @type {WeakMap<object, { callbacks: Set<() => void>, listener: () => void }>} */
const listenedTo = new WeakMap()

/** Calls `callback` once when the signal aborts. The callback must not throw. */
function onAbort(signal, callback) {
  if (signal instanceof EitherSignal) return signal.listen(callback)
  const known = listenedTo.get(signal)
  if (known !== undefined) {
    known.callbacks.add(callback)
    return
  }
  const entry = { callbacks: new Set([callback]), listener: () => dispatch(signal, entry) }
  listenedTo.set(signal, entry)
  try {
    // Such a listener is called even when another one stops the event.
    addAbortListener(signal, entry.listener)
  } catch (error) {
    forget(signal, entry)
    throw error
  }
}

/** A callback may take others out of the set, and those are not called any more then. */
function dispatch(signal, entry) {
  for (const callback of entry.callbacks) {
    entry.callbacks.delete(callback)
    tellSafely(callback)
  }
  forget(signal, entry)
}

function forget(signal, entry) {
  if (listenedTo.get(signal) === entry) listenedTo.delete(signal)
}

function offAbort(signal, callback) {
  if (signal instanceof EitherSignal) return signal.unlisten()
  const entry = listenedTo.get(signal)
  if (entry === undefined || !entry.callbacks.delete(callback) || entry.callbacks.size > 0) return
  listenedTo.delete(signal)
  // What addAbortListener returned could remove the listener too, but by Symbol.dispose, which this realm may lack.
  tellSafely(() => signal.removeEventListener('abort', entry.listener))
}

/**
 * Two signals for one wait, aborted as soon as one of them is. AbortSignal.any would listen to both for as long as they live,
 * and could be collected before they abort; this one listens only while somebody waits.
 */
class EitherSignal {
  #one
  #other
  /** The signal that aborted first, once that was heard. */
  #heard
  #callbacks

  constructor(one, other) {
    this.#one = one
    this.#other = other
  }

  get aborted() {
    return this.#one.aborted || this.#other.aborted
  }

  get reason() {
    return (this.#heard ?? (this.#one.aborted ? this.#one : this.#other)).reason
  }

  listen(callback) {
    const heard = (signal) => {
      this.#heard ??= signal
      callback()
    }
    this.#callbacks = [() => heard(this.#one), () => heard(this.#other)]
    try {
      onAbort(this.#one, this.#callbacks[0])
      onAbort(this.#other, this.#callbacks[1])
    } catch (error) {
      this.unlisten()
      throw error
    }
  }

  unlisten() {
    if (this.#callbacks === undefined) return
    const [one, other] = this.#callbacks
    this.#callbacks = undefined
    offAbort(this.#one, one)
    offAbort(this.#other, other)
  }
}

/** A signal that aborts with the first of two signals, either of which may be absent. */
function eitherSignal(one, other) {
  if (one == null || other == null || one === other) return one ?? other ?? undefined
  return new EitherSignal(one, other)
}

module.exports = { eitherSignal, onAbort, offAbort }
