'use strict'

// `deletePrefix`: deletes, or counts, all that is listed, and tells the counts.

const { S3AbortError, S3DeleteError } = require('./errors.js')
const { NO_COUNTS, Run } = require('./run.js')

/** `job` is what `toJob` makes of the options. */
async function deletePrefix(client, job) {
  const { options, hooks, isDry } = job
  const { signal } = hooks
  if (signal?.aborted) throw new S3AbortError({ counts: { ...NO_COUNTS }, cause: signal.reason })
  const { counts, failure, handlerFailure, failed } = await new Run(client, job).execute()
  if (signal?.aborted) throw new S3AbortError({ counts, failed, cause: signal.reason })
  if (failure !== undefined) throw failure
  if (handlerFailure !== undefined) throw handlerFailure.error
  if (failed.length > 0) throw new S3DeleteError({ failed, deleted: counts.deleted, counts, bucket: options.Bucket })
  // A dry run deletes nothing, and tells what would be deleted.
  return isDry ? { ...counts, deleted: counts.listed } : counts
}

module.exports = { deletePrefix }
