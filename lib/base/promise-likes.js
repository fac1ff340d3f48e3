'use strict'

// Tells promise-likes, of any kind and realm, from other values.

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
  return new Promise((resolve, reject) => then.call(value, resolve, reject))
}

module.exports = { promiseOf }
