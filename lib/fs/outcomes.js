'use strict'

// Makes results and errors of a chunk that tells what became of files. src/node/fs/chunk.rs tells the layout of a chunk.

const { Buffer } = require('node:buffer')
const { markAsUntransferable } = require('node:worker_threads')
const wire = require('../native/wire.js')
const { panicError, specialFileError, systemError, timeoutError, tooLargeError } = require('./errors.js')
const { splitPaths } = require('./paths.js')

const SYSCALLS = { [wire.OPEN_FAILED]: 'open', [wire.READ_FAILED]: 'read', [wire.SCANDIR_FAILED]: 'scandir' }

class Outcomes {
  #chunk
  #facts
  #paths
  #position = 0
  /** The slab of the next small file, how many slabs were taken, and where the file starts in the slab. */
  #slab
  #slabs = 0
  #start = 0
  #buffers = 0
  #panics = 0

  constructor(chunk) {
    const { facts, paths } = chunk
    this.#chunk = chunk
    this.#facts = new Float64Array(facts.buffer, facts.byteOffset, facts.length / 8)
    this.#paths = paths === undefined ? undefined : splitPaths(paths)
    this.length = this.#facts.length / wire.FACTS_PER_FILE
  }

  /**
   * Calls `each(index, outcome)` for all files, with `{ path, data }` or `{ path, error }`.
   *
   * @param {{ take(index: number): any } | undefined} inputs has the paths, where the chunk does not tell them
   * @param {{ encoding?: BufferEncoding, timeout?: number }} options
   * @param {(index: number, outcome: { path: any, data?: string | Buffer, error?: any }) => void} each
   */
  forEach(inputs, { encoding, timeout }, each) {
    for (let i = 0; i < this.length; i++) {
      const index = this.#facts[this.#position++]
      const fact = this.#facts[this.#position++]
      const number = this.#facts[this.#position++]
      const input = this.#paths === undefined ? inputs?.take(index) : { path: this.#paths[i], error: undefined }
      const { path, error } = input
      if (error !== undefined) each(index, { path, error: fromHere(error) })
      else if (fact === wire.IN_SLAB) each(index, this.#small(path, number, encoding))
      else if (fact === wire.IN_BUFFER) each(index, withEncoding(path, this.#chunk.buffers[this.#buffers++], encoding))
      else each(index, { path, error: fromHere(this.#errorOf(fact, number, input.native ?? path, timeout)) })
    }
  }

  #small(path, length, encoding) {
    if (length > 0 && (this.#slab === undefined || this.#start === this.#slab.length)) this.#nextSlab()
    const start = this.#start
    this.#start += length
    if (encoding !== undefined)
      return { path, data: length === 0 ? '' : this.#slab.toString(encoding, start, start + length) }
    // An empty view of a slab would keep the slab in memory. An empty Buffer has memory of its own.
    if (length === 0) return { path, data: Buffer.alloc(0) }
    return { path, data: start === 0 && length === this.#slab.length ? this.#slab : this.#shared(start, length) }
  }

  /**
   * A part of a slab, which must not be transferred to another thread: the other files in the slab would lose their
   * bytes.
   */
  #shared(start, length) {
    if (start === 0) markAsUntransferable(this.#slab.buffer)
    return this.#slab.subarray(start, start + length)
  }

  #nextSlab() {
    // A slab ends where a file ends, and Rust may leave an empty slab between two others.
    do this.#slab = this.#chunk.slabs[this.#slabs++]
    while (this.#slab.length === 0)
    this.#start = 0
  }

  #errorOf(fact, number, path, timeout) {
    const syscall = SYSCALLS[fact]
    if (syscall !== undefined) return systemError(number, syscall, path)
    if (fact === wire.SPECIAL_FILE) return specialFileError(number, path)
    if (fact === wire.TIMED_OUT) return timeoutError(timeout, path)
    if (fact === wire.TOO_LARGE) return tooLargeError(number, path)
    return panicError(this.#chunk.panics[this.#panics++], path)
  }
}

/** Makes the stack begin with whoever awaits the outcomes, since our own frames would push those of the user out. */
function fromHere(error) {
  Error.captureStackTrace(error, Outcomes.prototype.forEach)
  return error
}

/** A file too long for a string of V8 has that as its error, as for Node.js's readFile. */
function withEncoding(path, data, encoding) {
  if (encoding === undefined) return { path, data }
  try {
    return { path, data: data.toString(encoding) }
  } catch (error) {
    return { path, error }
  }
}

module.exports = { Outcomes }
