'use strict'

// A map of objects by key that keeps no object alive.

const { clearInterval, setInterval } = require('node:timers')
const { LONGEST } = require('../base/timer.js')
const { checkFunction } = require('../base/validate.js')

class WeakIndexMap {
  #index = new Map()
  #toKey
  #toIndex

  constructor(params) {
    const { toKey, toIndex, gcInterval } = params ?? {}
    checkFunction('toKey', toKey)
    checkFunction('toIndex', toIndex)
    this.#toKey = toKey
    this.#toIndex = toIndex
    // Beyond the longest time, Node.js's timers fire at once.
    if (gcInterval !== undefined) collectEvery(Math.min(gcInterval, LONGEST), new WeakRef(this))
  }

  get size() {
    return this.#index.size
  }

  get(params) {
    const key = this.#toKey(params)
    let object = this.#index.get(key)?.deref()
    if (object === undefined) {
      object = this.#toIndex(params)
      this.#index.set(key, new WeakRef(object))
    }
    return object
  }

  isGarbageCollected(target) {
    return target === undefined
  }

  gc() {
    for (const [key, reference] of this.#index) {
      if (this.isGarbageCollected(reference.deref())) this.#index.delete(key)
    }
  }
}

/** Calls `gc` at an interval. The timer must keep neither the process nor the map alive. */
function collectEvery(ms, reference) {
  const timer = setInterval(() => {
    const map = reference.deref()
    if (map === undefined) clearInterval(timer)
    else map.gc()
  }, ms)
  timer.unref()
}

module.exports = { WeakIndexMap }
