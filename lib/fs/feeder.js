'use strict'

// Gives the paths of an iterable to a job that reads files: many at a time, and no more than its window has room for.

const { setImmediate } = require('node:timers')
const core = require('../native/core.js')
const { closeSource } = require('../sources/close-source.js')
const { invalid } = require('../base/validate.js')
const { checkResult, toIterator } = require('../sources/task-sources.js')
const { joinPaths, toNativePath } = require('./paths.js')

/** How many paths cross at once: few at first, so that reading begins while others are still collected. */
const LEAST = 64
const MOST = 1024

class Feeder {
  /** @type {import('../native/job.js').NativeJob | undefined} */
  #job
  #window
  #source
  #onSourceError
  #onBroken
  /** What the user gave, by index, until the outcome has come: `{ path, native, error }`. @type {Map<number, any>} */
  #inputs = new Map()
  #count = 0
  /** How many paths were pulled whose results were not given yet. */
  #inFlight = 0
  /** The paths that have not crossed yet. @type {(string | Uint8Array)[]} */
  #batch = []
  #batchSize = LEAST
  #flushing = false
  #pulling = false
  #ended = false
  #onPulled = (step) => this.#pulled(step)
  #onSourceFailed = (error) => this.#sourceFailed(error)

  /** `onSourceError` is told what the source threw, and `onBroken` why the job can't be given any path. */
  constructor(paths, window, onSourceError, onBroken) {
    // Bytes are a path, and iterate as numbers.
    if (ArrayBuffer.isView(paths)) throw invalid('paths', paths, 'an (async) iterator or an (async) iterable of paths')
    this.#window = window
    this.#source = toIterator('paths', paths)
    this.#onSourceError = onSourceError
    this.#onBroken = onBroken
  }

  start(job) {
    this.#job = job
  }

  /** The input of that index, which is forgotten. */
  take(index) {
    const input = this.#inputs.get(index)
    this.#inputs.delete(index)
    return input
  }

  /** So many results were given, and their places in the window are free. */
  free(results) {
    this.#inFlight -= results
  }

  /** Pulls while there is room. */
  pull() {
    while (!this.#pulling && !this.#ended && this.#inFlight < this.#window) {
      this.#pulling = true
      const step = this.#next()
      if (typeof step?.then === 'function') Promise.resolve(step).then(this.#onPulled, this.#onSourceFailed)
      else if (!this.#ended) this.#add(step)
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

  #next() {
    try {
      return this.#source.next()
    } catch (error) {
      this.#sourceFailed(error)
    }
  }

  #pulled(step) {
    if (this.#ended) return
    this.#add(step)
    this.pull()
  }

  #add(step) {
    this.#pulling = false
    try {
      checkResult(step)
    } catch (error) {
      return this.#sourceFailed(error)
    }
    if (step.done) this.#end()
    else this.#give(step.value)
  }

  #give(path) {
    /** @type {{ path: unknown, native: string | Uint8Array, error: unknown }} */
    const input = { path, native: '', error: undefined }
    try {
      input.native = toNativePath(path)
    } catch (error) {
      // The path keeps its place among the others: an empty one crosses in its stead.
      input.error = error
    }
    this.#inputs.set(this.#count++, input)
    this.#inFlight++
    this.#batch.push(input.native)
    if (this.#batch.length < this.#batchSize) return
    this.#batchSize = Math.min(2 * this.#batchSize, MOST)
    this.#flush()
  }

  #sourceFailed(error) {
    if (this.#ended) return
    this.#pulling = false
    this.#onSourceError(error)
    this.#end()
  }

  #end() {
    this.#ended = true
    this.#flush()
    this.#cross(core.endPaths)
  }

  /** Waits for this turn of the event loop, in which an asynchronous source may give more. */
  #flushSoon() {
    if (this.#flushing || this.#batch.length === 0) return
    this.#flushing = true
    setImmediate(() => {
      this.#flushing = false
      this.#flush()
    })
  }

  #flush() {
    if (this.#batch.length === 0) return
    const paths = joinPaths(this.#batch)
    this.#batch = []
    this.#cross(core.givePaths, paths)
  }

  #cross(call, ...args) {
    if (this.#job === undefined || this.#job.isClosed) return
    try {
      call(this.#job.id, ...args)
    } catch (error) {
      this.#onBroken(error)
    }
  }
}

module.exports = { Feeder }
