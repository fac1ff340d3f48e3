'use strict'

// What became of files, out of a chunk that came from Rust. Its layout is told in src/node/files.rs.

const { Buffer } = require('node:buffer')
const { markAsUntransferable } = require('node:worker_threads')
const { panicError, specialFileError, systemError, timeoutError, tooLargeError } = require('./errors.js')
const { splitPaths } = require('./paths.js')

const IN_SLAB = 0
const IN_BUFFER = 1
const SYSCALLS = { 2: 'open', 3: 'read', 4: 'scandir' }
const SPECIAL = 5
const TIMEOUT = 6
const TOO_LARGE = 7

class Outcomes {
  #chunk
  #facts
  #paths
  #position = 0
  /** The slab that is being used up, how many were before it, and where its next file starts. */
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
    this.length = this.#facts.length / 3
  }

  /**
   * Calls `each(index, outcome)` for all files, with `{ path, data }` or `{ path, error }`.
   *
   * @param {{ take(index: number): any } | undefined} inputs where the paths are that the chunk does not tell
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
      else if (fact === IN_SLAB) each(index, this.#small(path, number, encoding))
      else if (fact === IN_BUFFER) each(index, withEncoding(path, this.#chunk.buffers[this.#buffers++], encoding))
      else each(index, { path, error: fromHere(this.#errorOf(fact, number, input.native ?? path, timeout)) })
    }
  }

  #small(path, length, encoding) {
    if (length > 0 && (this.#slab === undefined || this.#start === this.#slab.length)) this.#nextSlab()
    const start = this.#start
    this.#start += length
    if (encoding !== undefined) return { path, data: length === 0 ? '' : this.#slab.toString(encoding, start, start + length) }
    // An empty view of a slab would be no use: Node.js gives an empty Buffer its own memory.
    if (length === 0) return { path, data: Buffer.alloc(0) }
    return { path, data: start === 0 && length === this.#slab.length ? this.#slab : this.#shared(start, length) }
  }

  /** A part of a slab. Transferring it to another thread would take the others' bytes along. */
  #shared(start, length) {
    if (start === 0) markAsUntransferable(this.#slab.buffer)
    return this.#slab.subarray(start, start + length)
  }

  #nextSlab() {
    // Rust starts a file's slab anew only where the last one ends, or leaves an empty one behind.
    do this.#slab = this.#chunk.slabs[this.#slabs++]
    while (this.#slab.length === 0)
    this.#start = 0
  }

  #errorOf(fact, number, path, timeout) {
    const syscall = SYSCALLS[fact]
    if (syscall !== undefined) return systemError(number, syscall, path)
    if (fact === SPECIAL) return specialFileError(number, path)
    if (fact === TIMEOUT) return timeoutError(timeout, path)
    if (fact === TOO_LARGE) return tooLargeError(number, path)
    return panicError(this.#chunk.panics[this.#panics++], path)
  }
}

/** The stack begins with whoever awaits the outcomes: our own frames would push the user's out. */
function fromHere(error) {
  Error.captureStackTrace(error, Outcomes.prototype.forEach)
  return error
}

/** Text beyond V8's limit for strings is the file's error, as for Node.js's readFile. */
function withEncoding(path, data, encoding) {
  if (encoding === undefined) return { path, data }
  try {
    return { path, data: data.toString(encoding) }
  } catch (error) {
    return { path, error }
  }
}

module.exports = { Outcomes }
