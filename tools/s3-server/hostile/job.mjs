// Runs the job of a scenario, and tells all that a caller could see of it.
import { SynchronizerProvider } from 'ya-syn-native'
import { S3BulkClient } from 'ya-syn-native/s3'

/** A job has to settle within this, in milliseconds, whatever the store does: with its short times it is done in two or three seconds. */
export const BOUND = 20_000

/** Runs the job on the bucket; `given` are the items for an executor. */
export async function runJob(scenario, { Bucket, endpoint, credentials, requestTimeout, given }) {
  const client = new S3BulkClient({
    endpoint,
    credentials,
    region: 'us-east-1',
    forcePathStyle: true,
    requestTimeout,
    ...scenario.client,
  })
  const seen = { yielded: [], calls: [], taskErrors: [], tasks: [], progress: undefined, settled: false }
  const controller = new AbortController()
  const timer =
    scenario.abortAfter === undefined
      ? undefined
      : setTimeout(() => controller.abort(new Error('enough')), scenario.abortAfter)
  const started = performance.now()
  const synchronizers = new SynchronizerProvider()
  const run = start(scenario, { client, Bucket, given, seen, signal: controller.signal, synchronizers })
  const settled = run.then(
    (value) => Object.assign(seen, { settled: true, value }),
    (error) => Object.assign(seen, { settled: true, error }),
  )
  const isSettled = (await within(settled)) !== undefined
  clearTimeout(timer)
  seen.elapsed = performance.now() - started
  seen.aborted = controller.signal.aborted
  seen.reason = controller.signal.reason
  seen.closed = await within(client.close().then(() => true))
  seen.held = held(scenario, synchronizers)
  // The end of the client settles what hung.
  return { ...seen, settled: isSettled }
}

/** What the promise gives, or undefined when that takes too long. */
async function within(promise) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, BOUND)
  })
  const value = await Promise.race([promise, late])
  clearTimeout(timer)
  return value
}

async function start(scenario, { client, Bucket, given, seen, signal, synchronizers }) {
  const { job, prefix, startAfter, suffix, versions, listing } = scenario
  const range = { Bucket, Prefix: prefix, StartAfter: startAfter, filter: suffix && { suffix }, ...listing }
  const deletion = withSynchronizers(scenario, synchronizers)
  const onTaskError = (error, { task }) => {
    seen.taskErrors.push(error)
    seen.tasks.push(task.map((item) => (typeof item === 'string' ? { Key: item } : item)))
  }
  const onProgress = (progress) => {
    seen.progress = progress
  }
  switch (job) {
    case 'prefix':
    case 'versions':
    case 'dryRun':
    case 'dryRunVersions': {
      const listens = scenario.listensToErrors ? { onTaskError } : {}
      return client.deletePrefix({
        ...range,
        ...deletion,
        versions,
        dryRun: job.startsWith('dryRun'),
        signal,
        onProgress,
        ...listens,
      })
    }
    case 'fused':
    case 'fusedVersions':
    case 'piped': {
      const { limitPerKey, batchSize, maxTasksInExecution } = deletion
      const where = job === 'piped' ? { where: () => true } : {}
      const source = versions ? client.listObjectVersions(range) : client.listKeys({ ...range, ...where })
      const taskExecutor = client.deleteObjects({ Bucket, batchSize, limitPerKey })
      const pipeline = {
        taskSource: source,
        taskExecutor,
        maxTasksInExecution,
        maxTasksInFlight: 2 * maxTasksInExecution,
        onTaskError,
        signal,
      }
      if (job !== 'piped') pipeline.onProgress = onProgress
      return new SynchronizerProvider().executeTasks(pipeline)
    }
    case 'listKeys':
      return read(client.listKeys({ ...range, signal }), seen, (Key) => ({ Key }))
    case 'listObjects':
      return read(client.listObjects({ ...range, signal }), seen, ({ Key }) => ({ Key }))
    case 'listVersions':
      return read(client.listObjectVersions({ ...range, signal }), seen, ({ Key, VersionId }) => ({ Key, VersionId }))
    default:
      return call(client.deleteObjects({ Bucket, ...deletion, signal }), given, scenario.callSize, seen)
  }
}

async function read(source, seen, toItem) {
  for await (const { task } of source) seen.yielded.push(...task.map(toItem))
}

/** Calls the executor by parts at once; each call tells what became of its own keys. */
async function call(execute, given, size, seen) {
  const parts = []
  for (let at = 0; at < given.length; at += size) parts.push(given.slice(at, at + size))
  const ends = await Promise.allSettled(
    parts.map((task) =>
      execute({ task: task.map(({ Key, VersionId }) => (VersionId === undefined ? Key : { Key, VersionId })) }),
    ),
  )
  seen.calls = ends.map(({ reason }, i) => ({ items: parts[i], error: reason }))
}

function withSynchronizers({ deletion, sharesLimit }, synchronizers) {
  const { limitPerKey } = deletion
  return limitPerKey && sharesLimit ? { ...deletion, limitPerKey: { ...limitPerKey, synchronizers } } : deletion
}

/** How many permits of the job's prefixes are held or waited for. */
function held({ keys, prefix, deletion: { limitPerKey }, sharesLimit }, synchronizers) {
  if (!limitPerKey || !sharesLimit) return 0
  const { prefixLength, delimiter, maxTasksInExecution } = limitPerKey
  const end = (key) => key.indexOf(delimiter, prefix.length) + 1 || key.length
  const prefixes = new Set(keys.map((key) => key.slice(0, prefixLength ?? end(key))))
  const tasks = [...prefixes].map((key) => synchronizers.forKey(key, maxTasksInExecution).stats.numberOfTasks)
  return tasks.reduce((sum, count) => sum + count, 0)
}
