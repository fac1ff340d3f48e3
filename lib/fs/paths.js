'use strict'

// Turns paths that users give into what crosses to Rust, and back: many paths in one piece, each ended by a NUL.

const { Buffer, isUtf8 } = require('node:buffer')
const { fileURLToPath } = require('node:url')
const { isUint8Array } = require('node:util/types')
const { pathError } = require('./errors.js')

const NUL = Buffer.from([0])

/**
 * The path as a string or bytes without NUL. Throws Node.js's own error for any other value. Bytes are copied, since their
 * owner may change them. Values of other realms count too, as they do for Node.js.
 *
 * @returns {string | Uint8Array}
 */
function toNativePath(path) {
  const native = isUrl(path) ? fileURLToPath(path) : path
  if (typeof native === 'string' && !native.includes('\0')) return native
  if (isUint8Array(native)) {
    const bytes = Buffer.from(native)
    if (!bytes.includes(0)) return bytes
  }
  throw pathError(path)
}

/** Goes by the shape of the value, as Node.js does, since the URL may be of another realm. */
function isUrl(value) {
  return (
    typeof value?.href === 'string' &&
    typeof value.protocol === 'string' &&
    value.auth === undefined &&
    value.path === undefined
  )
}

function joinPaths(paths) {
  if (paths.every((path) => typeof path === 'string')) return `${paths.join('\0')}\0`
  return Buffer.concat(paths.flatMap((path) => [typeof path === 'string' ? Buffer.from(path) : path, NUL]))
}

/** The paths as strings, and as a Buffer where a path is no UTF-8. */
function splitPaths(bytes) {
  if (isUtf8(bytes)) return bytes.utf8Slice(0, bytes.length - 1).split('\0')
  const paths = []
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(0, start)
    const path = bytes.subarray(start, end)
    paths.push(isUtf8(path) ? path.toString() : Buffer.from(path))
    start = end + 1
  }
  return paths
}

module.exports = { joinPaths, splitPaths, toNativePath }
