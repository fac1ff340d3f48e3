'use strict'

// A listing as an async iterator of pages. It starts when it is first asked, or not at all when executeTasks takes it over.

const core = require('../native/core.js')
const { onAbort, offAbort } = require('../base/abort.js')
const { CLOSE, ClosableIterator } = require('../sources/closable-iterator.js')
const { tellSafely } = require('../native/faults.js')
const { openJob } = require('../native/job.js')
const { invalid } = require('../base/validate.js')
const { closedError, faultError } = require('./errors.js')

const PAGES = {
  keys: ({ keys }) => keys,
  objects: ({ keys, sizes, times, tags }) =>
    keys.map((Key, i) => ({ Key, Size: sizes[i], LastModified: new Date(times[i]), ETag: tags[i] })),
  versions: ({ keys, versions, areMarkers }) =>
    keys.map((Key, i) => ({ Key, VersionId: versions[i] ?? undefined, IsDeleteMarker: areMarkers[i] })),
}

class S3Source extends ClosableIterator {
  #client
  #options
  #where
  #signal
  #job
  #isOver = false
  /** Whether the client ended it. */
  #isCut = false
  /** Calls of `next()` take turns. */
  #last = Promise.resolve()
  #onAbort = () => this.#close()

  constructor(client, options, { where, signal }) {
    super()
    this.#client = client
    this.#options = options
    this.#where = where
    this.#signal = signal
  }

  /** What the addon needs to list it without JavaScript; nothing when that can't be. */
  takeOver(client) {
    if (
      client !== this.#client ||
      this.#where !== undefined ||
      this.#signal != null ||
      this.#job !== undefined ||
      this.#isOver
    )
      return undefined
    this.#isOver = true
    return this.#options
  }

  next() {
    const next = this.#last.then(() => this.#next())
    this.#last = next.then(
      () => undefined,
      () => undefined,
    )
    return next
  }

  async [CLOSE]() {
    this.#isCut = false
    this.#close()
  }

  async #next() {
    while (!this.#isOver || this.#isCut || this.#signal?.aborted) {
      if (this.#signal?.aborted) {
        this.#close()
        // It is told once, as an iterator tells an error.
        const { reason } = this.#signal
        this.#signal = undefined
        throw reason
      }
      if (this.#isCut) {
        this.#isCut = false
        throw closedError(' before the listing was read to its end')
      }
      const chunk = await this.#start().next()
      // It was closed meanwhile.
      if (chunk === null) continue
      if (chunk.kind === 'over') {
        this.#close()
        break
      }
      if (chunk.kind === 'fault') {
        this.#close()
        throw faultError(chunk)
      }
      const page = PAGES[chunk.kind](chunk)
      const wanted = this.#where === undefined ? page : this.#filter(page)
      if (wanted.length > 0) return { done: false, value: { task: wanted } }
    }
    return { done: true, value: undefined }
  }

  #filter(page) {
    try {
      return page.filter((item) => {
        const isWanted = this.#where(item)
        // A promise would count as true for every key.
        if (typeof isWanted !== 'boolean')
          throw invalid('What where() returns', isWanted, 'true or false, and no promise of it')
        return isWanted
      })
    } catch (error) {
      this.#close()
      throw error
    }
  }

  #start() {
    if (this.#job === undefined) {
      this.#job = openJob(core.listS3, this.#client.open(), this.#options)
      this.#client.started(this)
      if (this.#signal != null) onAbort(this.#signal, this.#onAbort)
    }
    return this.#job
  }

  /** The client ends: the next call of `next()` says so, or the one that waits, unless all pages were given. */
  stop() {
    this.#isCut = true
    tellSafely(() => {
      this.#isCut = core.takeChunk(this.#job.id)?.kind !== 'over'
    })
    this.#close()
  }

  #close() {
    this.#isOver = true
    if (this.#job === undefined || this.#job.isClosed) return
    if (this.#signal != null) offAbort(this.#signal, this.#onAbort)
    this.#client.ended(this)
    this.#job.close()
  }
}

module.exports = { S3Source }
