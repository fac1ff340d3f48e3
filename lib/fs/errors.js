'use strict'

// The errors of files, as Node.js's own fs makes them.

const { Buffer } = require('node:buffer')
const { statSync } = require('node:fs')
const process = require('node:process')
const { getSystemErrorMap } = require('node:util')
const wire = require('../native/wire.js')

const SPECIAL_KINDS = {
  [wire.PIPE]: 'a pipe (FIFO)',
  [wire.SOCKET]: 'a socket',
  [wire.CHARACTER_DEVICE]: 'a character device',
  [wire.BLOCK_DEVICE]: 'a block device',
}

const numbers = new Map([...getSystemErrorMap()].map(([errno, [code]]) => [code, errno]))

/** Whether the errors of `read` that this Node.js makes say the path. */
const readSaysPath = Number.parseInt(process.versions.node) >= 26

/** The error for a system call that failed. */
function systemError(errno, syscall, path) {
  const [code, text] = getSystemErrorMap().get(errno) ?? ['UNKNOWN', 'unknown error']
  const place = syscall === 'read' && !readSaysPath ? '' : ` '${show(path)}'`
  return describe(new Error(`${code}: ${text}, ${syscall}${place}`), code, syscall, path)
}

function timeoutError(timeout, path) {
  return describe(
    new Error(`ETIMEDOUT: took longer than ${timeout} ms, read '${show(path)}'`),
    'ETIMEDOUT',
    'read',
    path,
  )
}

function specialFileError(kind, path) {
  const message = `EINVAL: '${show(path)}' is ${SPECIAL_KINDS[kind]} and no regular file; pass special: true to read it, open`
  return describe(new Error(message), 'EINVAL', 'open', path)
}

/** The same error as that of Node.js's readFile. */
function tooLargeError(size, path) {
  const error = new RangeError(`File size (${size}) is greater than 2 GiB`)
  return Object.assign(error, { code: 'ERR_FS_FILE_TOO_LARGE', path: show(path) })
}

function panicError(text, path) {
  return Object.assign(new Error(`Reading '${show(path)}' failed inside ya-syn-native: ${text}`), { path: show(path) })
}

/** The error that Node.js's own fs throws at a value that is no path. */
function pathError(path) {
  try {
    statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return error
  }
  return new TypeError(`${show(path)} is no path`)
}

function describe(error, code, syscall, path) {
  return Object.assign(error, { errno: numbers.get(code), code, syscall, path: show(path) })
}

/** A path as text, in which bytes that are no UTF-8 show as U+FFFD. */
function show(path) {
  return typeof path === 'string' ? path : Buffer.from(path.buffer, path.byteOffset, path.byteLength).toString()
}

module.exports = { panicError, pathError, specialFileError, systemError, timeoutError, tooLargeError }
