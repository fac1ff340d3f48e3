'use strict'

// The errors of S3 jobs.

/**
 * What an error is made of.
 *
 * @typedef {{ message: string, code: string, status?: number | null, counts?: object, failed?: object[], cause?: unknown }} Told
 */

/** A job that could not go on. */
class S3BulkError extends Error {
  /** @param {Told} told */
  constructor({ message, code, status, counts, failed, cause }) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    if (status != null) this.status = status
    if (counts !== undefined) this.counts = counts
    if (failed !== undefined && failed.length > 0) this.failed = failed
  }
}

/** Keys that failed. */
class S3DeleteError extends S3BulkError {
  /**
   * @param {{ failed: { Key: string, code: string, message: string }[], deleted: number, counts?: { failed: number }, bucket?: string }} told
   */
  constructor({ failed, deleted, counts, bucket }) {
    super({ message: describe(failed, counts?.failed ?? failed.length, bucket), code: failed[0].code, counts, failed })
    this.deleted = deleted
  }
}

/** A job that was ended by its signal, with what it had done. */
class S3AbortError extends S3BulkError {
  /** @param {{ counts: { deleted: number, failed: number }, failed?: object[], cause?: unknown }} told */
  constructor({ counts, failed, cause }) {
    super({
      message: `The job was aborted; ${counts.deleted} keys are deleted, ${counts.failed} failed`,
      code: 'ABORT_ERR',
      counts,
      failed,
      cause,
    })
  }
}

/** How many keys a message names; `failed` has the others too. */
const NAMED = 3

function describe(failed, count, bucket) {
  const names = failed
    .slice(0, NAMED)
    .map(({ Key, code, message }) => `${JSON.stringify(Key)}: ${code}${message ? ` (${message})` : ''}`)
  const rest = count > NAMED ? `, and ${count - NAMED} more` : ''
  const place = bucket === undefined ? '' : ` of bucket ${JSON.stringify(bucket)}`
  return `${count} ${count === 1 ? 'key' : 'keys'}${place} ${count === 1 ? 'was' : 'were'} not deleted: ${names.join(', ')}${rest}`
}

for (const { ErrorClass, name } of [
  { ErrorClass: S3BulkError, name: 'S3BulkError' },
  { ErrorClass: S3DeleteError, name: 'S3DeleteError' },
  { ErrorClass: S3AbortError, name: 'AbortError' },
]) {
  Object.defineProperty(ErrorClass.prototype, 'name', { value: name, writable: true, configurable: true })
}

/**
 * The error for a fault that the addon told.
 *
 * @param {import('../native/core.js').S3Fault} fault
 * @param {{ counts?: object, failed?: object[] }} [done] what was done before
 */
function faultError({ code, message, status }, done) {
  return new S3BulkError({ message: `${code}: ${message}`, code, status, ...done })
}

/**
 * The error for work that the close of the client left undone.
 *
 * @param {string} rest
 * @param {{ counts?: object, failed?: object[] }} [done]
 */
function closedError(rest, done) {
  return new S3BulkError({ message: `The client was closed${rest}`, code: 'Closed', ...done })
}

/**
 * Keys that failed, out of the columns that the addon told.
 *
 * @param {import('../native/core.js').S3FailedKeys} columns
 */
function failedKeys({ keys, versions, codes, messages }) {
  return keys.map((Key, i) => failedKey(Key, versions[i], codes[i], messages[i]))
}

/** A key that failed, with its version if the delete named one. */
function failedKey(Key, VersionId, code, message) {
  return VersionId == null ? { Key, code, message } : { Key, VersionId, code, message }
}

module.exports = { S3AbortError, S3BulkError, S3DeleteError, closedError, failedKey, failedKeys, faultError }
