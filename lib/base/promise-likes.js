'use strict'

// Tells promise-likes, of any kind and realm, from other values.

const { isPromise } = require('node:util/types')

const { prototype } = Promise
const { then: ownThen } = prototype

/**
 * The promise of what a promise-like becomes, or `undefined` for any other value. Its `then` is read once, as `await`
 * does.
 */
function promiseOf(value) {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return undefined
  let then
  try {
    then = value.then
  } catch (error) {
    return Promise.reject(error)
  }
  if (typeof then !== 'function') return undefined
  // With that `then`, and no constructor of its own, it is the promise already.
  if (then === ownThen && isPromise(value) && isPlain(value)) return value
  return new Promise((resolve, reject) => then.call(value, resolve, reject))
}

function isPlain(promise) {
  return (
    Object.getPrototypeOf(promise) === prototype &&
    !Object.hasOwn(promise, 'constructor') &&
    !Object.hasOwn(promise, 'then')
  )
}

/** Whether it may be a promise at all, which is cheaper to ask than whether it is one. */
function mayBePromise(value) {
  try {
    return typeof value === 'object' && value !== null && 'then' in value
  } catch {
    // What answers for an object in its place is no promise.
    return false
  }
}

module.exports = { mayBePromise, promiseOf }
