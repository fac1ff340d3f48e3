'use strict'

// `readFiles` and `readFilesToArray`: read many files on threads of the package's own.

const core = require('../native/core.js')
const { Feeder } = require('./feeder.js')
const { JobIterator } = require('../sources/job-iterator.js')
const { ListedFiles } = require('./list-files.js')
const { toReadOptions } = require('./options.js')
const { Outcomes } = require('./outcomes.js')

/**
 * After so many results paths are pulled again: after fewer, paths would cross in small pieces; after more, reading
 * would stand still.
 */
const REFILL = 64

class FileReads extends JobIterator {
  #paths
  #options
  /** Where relative paths start. */
  #folder = core.workingFolder()
  /** Gives paths to the job; a listing in Rust does that itself. @type {Feeder | undefined} */
  #feeder
  /** What the source of paths threw, as `{ error }`. */
  #sourceFailure

  constructor(paths, options) {
    super(() => this.#start(), options.signal)
    this.#paths = paths
    this.#options = options
    this.advanceEvery = Math.min(REFILL, Math.ceil(options.maxFilesInFlight / 2))
    if (paths instanceof ListedFiles) return
    this.#feeder = new Feeder(
      paths,
      options.maxFilesInFlight,
      (error) => {
        this.#sourceFailure = { error }
      },
      (error) => this.breakOff(error),
    )
  }

  advance(given) {
    this.free(given)
    this.#feeder?.pull()
  }

  free(results) {
    this.#feeder?.free(results)
  }

  receive(chunk) {
    const values = []
    this.receiveEach(chunk, (_, outcome) => values.push(outcome))
    return values
  }

  receiveEach(chunk, each) {
    let failed = false
    new Outcomes(chunk).forEach(this.#feeder, this.#options, (index, outcome) => {
      if (failed) return
      failed = outcome.error !== undefined && this.#options.errors === 'throw'
      if (failed) this.fail(outcome.error)
      else each(index, outcome)
    })
  }

  failureAtEnd() {
    return this.#sourceFailure
  }

  async closeSource() {
    await this.#feeder?.close()
  }

  #start() {
    const { ordered, maxFilesInFlight, maxBytesInFlight, timeout = 0, special } = this.#options
    const args = [ordered, maxFilesInFlight, maxBytesInFlight, timeout, special]
    if (this.#feeder === undefined) return this.#paths.open(core.openReadOfList, ...args)
    const job = this.openJob(core.openRead, ...args, this.#folder)
    this.#feeder.start(job)
    return job
  }
}

/** Collects outcomes by the index of their path, in whatever order they come. */
class ArrayOfReads extends FileReads {
  results = []

  receive(chunk) {
    this.receiveEach(chunk, (index, outcome) => {
      this.results[index] = outcome
      this.free(1)
    })
    return []
  }
}

function readFiles(paths, options) {
  return new FileReads(paths, toReadOptions('readFiles', options))
}

async function readFilesToArray(paths, options) {
  const reads = new ArrayOfReads(paths, {
    ...toReadOptions('readFilesToArray', options),
    errors: 'yield',
    ordered: false,
  })
  await reads.next()
  return reads.results
}

module.exports = { readFiles, readFilesToArray }
