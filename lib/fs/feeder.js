'use strict'

// Gives the paths of an iterable to a reading job, no more than its window has room for, and many at a time.

const core = require('../core.js')
const { closeSource } = require('../close-source.js')
const { toIterator } = require('../task-sources.js')
const { joinPaths, toNativePath } = require('./paths.js')

/** Paths that cross at once. */
const MOST = 1024

class Feeder {
  /** @type {import('../native-job.js').NativeJob | undefined} */
  #job
  #window
  #source
  #onFailure
  /** What the user gave, by index, until its outcome is there: `{ path, native, error }`. @type {Map<number, any>} */
  #inputs = new Map()
  #count = 0
  /** Paths that have not crossed yet. @type {(string | Uint8Array)[]} */
  #batch = []
  #flushing = false
  #pulling = false
  #ended = false
  #onPulled = (step) => this.#pulled(step)
  #onSourceFailed = (error) => this.#sourceFailed(error)

  constructor(paths, window, onFailure) {
    this.#window = window
    this.#source = toIterator('paths', paths)
    this.#onFailure = onFailure
  }

  start(job) {
    this.#job = job
  }

  /** What was given as `index`; its place in the window is free. */
  take(index) {
    const input = this.#inputs.get(index)
    this.#inputs.delete(index)
    return input
  }

  /** Pulls while there is room. */
  pull() {
    while (!this.#pulling && !this.#ended && this.#inputs.size < this.#window) {
      this.#pulling = true
      try {
        const step = this.#source.next()
        if (typeof step?.then === 'function') Promise.resolve(step).then(this.#onPulled, this.#onSourceFailed)
        else this.#add(step)
      } catch (error) {
        this.#sourceFailed(error)
      }
    }
    if (!this.#pulling) this.#flush()
    else this.#flushSoon()
  }

  /** Closes the source, unless it has ended by itself. */
  async close() {
    this.#inputs.clear()
    this.#batch = []
    if (this.#ended) return
    this.#ended = true
    await closeSource(this.#source)
  }

  #pulled(step) {
    if (this.#ended) return
    this.#add(step)
    this.pull()
  }

  #add({ done, value }) {
    this.#pulling = false
    if (done) this.#end()
    else this.#give(value)
  }

  #give(path) {
    /** @type {{ path: unknown, native: string | Uint8Array, error: unknown }} */
    const input = { path, native: '', error: undefined }
    try {
      input.native = toNativePath(path)
    } catch (error) {
      // It keeps its place among the others: an empty path crosses for it.
      input.error = error
    }
    this.#inputs.set(this.#count++, input)
    this.#batch.push(input.native)
    if (this.#batch.length >= MOST) this.#flush()
  }

  #sourceFailed(error) {
    if (this.#ended) return
    this.#pulling = false
    this.#onFailure(error)
    this.#end()
  }

  #end() {
    this.#ended = true
    this.#flush()
    if (this.#job?.isClosed === false) core.endPaths(this.#job.id)
  }

  /** An asynchronous source may have more in this turn. */
  #flushSoon() {
    if (this.#flushing || this.#batch.length === 0) return
    this.#flushing = true
    setImmediate(() => {
      this.#flushing = false
      this.#flush()
    })
  }

  #flush() {
    if (this.#batch.length === 0 || this.#job?.isClosed !== false) return
    core.givePaths(this.#job.id, joinPaths(this.#batch))
    this.#batch = []
  }
}

module.exports = { Feeder }
