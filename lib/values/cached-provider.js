'use strict'

// A value that is loaded again when it has become too old.
//
// A call that needs a load joins the next load until that one begins. So all calls before share one call of the factory, and
// its failure, and a later call never gets a value older than it asked for.

const { identityOf } = require('../locks/process-scope.js')
const { isInside } = require('../locks/reentry.js')
const { checkFunction, checkOptionalFunction, invalid } = require('../base/validate.js')

class CachedProvider {
  #factory
  #synchronizer
  #cacheTimestamp
  #defaultTTL
  /** @type {{ cachedAt: number, value: unknown } | undefined} */
  #cache
  /**
   * The load that has not begun, with `oldest`, the earliest timestamp of a value that would make the load needless.
   */
  #next

  constructor(params) {
    const { factory, cacheTimestamp, defaultTTL = 0, synchronizerProvider } = params ?? {}
    checkFunction('factory', factory)
    checkOptionalFunction('cacheTimestamp', cacheTimestamp)
    checkTTL('defaultTTL', defaultTTL)
    if (typeof synchronizerProvider?.forObject !== 'function') {
      throw invalid('synchronizerProvider', synchronizerProvider, 'a SynchronizerProvider')
    }
    this.#factory = factory
    this.#cacheTimestamp = cacheTimestamp
    this.#defaultTTL = defaultTTL
    this.#synchronizer = synchronizerProvider.forObject(this, 1)
  }

  static capture(params, cb) {
    return cb(params)
  }

  async get(ttl = this.#defaultTTL) {
    checkTTL('ttl', ttl)
    // Tests that fake the clock replace `Date`.
    const oldest = Date.now() - ttl
    const cached = this.#cachedSince(oldest)
    if (cached !== undefined) return cached.value
    // A factory that asks its own provider must not wait for a load that waits for the factory.
    if (isInside(identityOf(this.#synchronizer))) return this.#load()
    this.#next ??= this.#schedule()
    this.#next.oldest = Math.max(this.#next.oldest, oldest)
    return this.#next.promise
  }

  #schedule() {
    const next = { oldest: -Infinity, promise: undefined }
    next.promise = this.#synchronizer.synchronized(() => {
      if (this.#next === next) this.#next = undefined
      const cached = this.#cachedSince(next.oldest)
      return cached === undefined ? this.#load() : cached.value
    })
    return next
  }

  #cachedSince(oldest) {
    return this.#cache !== undefined && this.#cache.cachedAt >= oldest ? this.#cache : undefined
  }

  async #load() {
    const startedAt = Date.now()
    const value = await this.#factory()
    const cachedAt = this.#cacheTimestamp === undefined ? startedAt : this.#cacheTimestamp(value).getTime()
    this.#cache = { cachedAt, value }
    return value
  }
}

function checkTTL(name, ttl) {
  if (typeof ttl !== 'number' || Number.isNaN(ttl)) throw invalid(name, ttl, 'a number of milliseconds')
}

module.exports = { CachedProvider }
