'use strict'

// A listing as an async iterator of pages. The listing starts at the first call of `next()`, or not at all when
// executeTasks takes it over.

const core = require('../native/core.js')
const { JobIterator } = require('../sources/job-iterator.js')
const { tellSafely } = require('../native/faults.js')
const { invalid } = require('../base/validate.js')
const { closedError, faultError } = require('./errors.js')

/** What a page gives, by the kind of its chunk. */
const PAGES = {
  keys: ({ keys }) => keys,
  objects: ({ keys, sizes, times, tags }) =>
    keys.map((Key, i) => ({ Key, Size: sizes[i], LastModified: new Date(times[i]), ETag: tags[i] })),
  versions: ({ keys, versions, areMarkers }) =>
    keys.map((Key, i) => ({ Key, VersionId: versions[i] ?? undefined, IsDeleteMarker: areMarkers[i] })),
}

class S3Source extends JobIterator {
  #client
  #options
  #where
  #isAbortable
  #job
  /** Whether the client was closed before the end of the listing. */
  #isCut = false

  constructor(client, options, { where, signal }) {
    super(() => this.#start(), signal ?? undefined)
    this.#client = client
    this.#options = options
    this.#where = where
    this.#isAbortable = signal != null
  }

  /** What the addon needs to list without JavaScript, or `undefined` when `client` can't. */
  takeOver(client) {
    if (client !== this.#client || this.#where !== undefined || this.#isAbortable) return undefined
    return this.giveAway() ? this.#options : undefined
  }

  #start() {
    this.#job = this.openJob(core.listS3, this.#client.open(), this.#options)
    this.#client.started(this)
    return this.#job
  }

  receive(chunk) {
    if (chunk.kind === 'over') this.closeJob()
    else if (chunk.kind === 'fault') this.breakOff(faultError(chunk))
    else return this.#tasksOf(PAGES[chunk.kind](chunk))
    return []
  }

  #tasksOf(page) {
    try {
      const wanted = this.#where === undefined ? page : page.filter((item) => this.#isWanted(item))
      return wanted.length > 0 ? [{ task: wanted }] : []
    } catch (error) {
      this.breakOff(error)
      return []
    }
  }

  #isWanted(item) {
    const isWanted = this.#where(item)
    // A promise would count as true for every key.
    if (typeof isWanted !== 'boolean')
      throw invalid('What where() returns', isWanted, 'true or false, and no promise of it')
    return isWanted
  }

  /** The client is closed: the iteration fails, unless all pages were given. */
  stop() {
    this.#isCut = true
    tellSafely(() => {
      this.#isCut = core.takeChunk(this.#job.id)?.kind !== 'over'
    })
    this.closeJob()
  }

  failureAtEnd() {
    return this.#isCut ? { error: closedError(' before the listing was read to its end') } : undefined
  }

  jobEnded() {
    this.#client.ended(this)
  }
}

module.exports = { S3Source }
