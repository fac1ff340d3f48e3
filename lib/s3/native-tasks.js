'use strict'

// `executeTasks` with a listing and an executor of one client, as one native run.

const { Run } = require('./run.js')

/** As in every pipeline, failed tasks that no handler wants to hear of are not kept. */
const ignore = () => {}

/** `options` are those of the addon, `params` those of executeTasks. */
async function executeNatively(client, options, limitPerKey, params) {
  const { signal, maxTasksInFlight, onTaskError = ignore, onProgress } = params
  if (signal?.aborted) throw signal.reason
  const toProgress = (progress) => ({
    pulled: progress.listed,
    running: progress.inFlight,
    done: progress.deleted,
    ...progress,
  })
  const run = new Run(client, {
    options: { ...options, maxTasksInFlight },
    limitPerKey,
    hooks: { signal, onTaskError, onProgress, toProgress },
    isDry: false,
  })
  const { failure, handlerFailure } = await run.execute()
  if (signal?.aborted) throw signal.reason
  if (failure !== undefined) throw failure
  if (handlerFailure !== undefined) throw handlerFailure.error
}

module.exports = { executeNatively }
