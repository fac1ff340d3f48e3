'use strict'

// Listens to AbortSignals, with one listener per signal however many wait for it: EventTarget
// removes a listener in time proportional to how many there are.
//
// A signal may be of another realm, or an object that only looks like one. What it throws when it is
// listened to goes to the caller, who still waits for nothing then; leaving it never throws.

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
    // Heard even when another listener stops the event.
    addAbortListener(signal, entry.listener)
  } catch (error) {
    forget(signal, entry)
    throw error
  }
}

/** One of the callbacks may take others out of the set, which are not called any more then. */
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
  // By name, not by what addAbortListener returns: that has a method under Symbol.dispose, which this realm may lack.
  tellSafely(() => signal.removeEventListener('abort', entry.listener))
}

/**
 * Two signals for one wait: aborted as soon as one of them is. Unlike AbortSignal.any it is listened to only while
 * somebody waits, so neither a collection nor a long-lived signal has a say in it.
 */
class EitherSignal {
  #one
  #other
  /** The one that was heard. */
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

/** The signal that aborts with the first of the two, where there are both. */
function eitherSignal(one, other) {
  if (one == null || other == null || one === other) return one ?? other ?? undefined
  return new EitherSignal(one, other)
}

module.exports = { eitherSignal, onAbort, offAbort }
