// The ways to empty a prefix that run in Node.js: `open(store)` gives a client before the clock starts, `run(client, target)`
// deletes, and `close(client)` is not timed either.

import { DeleteObjectsCommand, ListObjectsV2Command, S3Client, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import { SynchronizerProvider, mergeAsyncGenerators } from '../../../../index.mjs'
import { S3BulkClient } from '../../../../s3.mjs'

const IN_FLIGHT = 1000
const IN_EXECUTION = 50
const LISTERS = 8

const PAGES = 'JavaScript SDK, page by page'
const TASKS = `JavaScript SDK, executeTasks at ${IN_EXECUTION}`
const SHARDED = `${TASKS}, ${LISTERS} listers`
const FUSED = 'fused executeTasks, defaults'
const SERIAL = 'fused executeTasks, parallelListing: 1'
const WHOLE = 'deletePrefix, defaults'

const settings = ({ endpoint, credentials }) => ({ region: 'us-east-1', endpoint, credentials, forcePathStyle: true })

const provider = new SynchronizerProvider()

const sdk = {
  open: (store) =>
    new S3Client({ ...settings(store), requestHandler: { httpAgent: { maxSockets: IN_EXECUTION + LISTERS } } }),
  close: (client) => client.destroy(),
}

const native = {
  open: (store) => new S3BulkClient(settings(store)),
  close: (client) => client.close(),
}

const only = ({ Bucket, Prefix }) => ({ Bucket, Prefix })

const deleteTasks = (source) => (client, target) =>
  runTasks(source(client, target), ({ task }) => deleteKeys(client, target.Bucket, task))

const fused = (listing) => (client, target) =>
  runTasks(client.listKeys({ ...only(target), ...listing }), client.deleteObjects({ Bucket: target.Bucket }))

const ways = {
  [PAGES]: {
    ...sdk,
    async run(client, target) {
      for await (const { task } of pages(client, only(target))) await deleteKeys(client, target.Bucket, task)
    },
  },
  [TASKS]: { ...sdk, run: deleteTasks((client, target) => pages(client, only(target))) },
  [SHARDED]: { ...sdk, run: deleteTasks(sharded) },
  [FUSED]: { ...native, run: fused({}) },
  [SERIAL]: { ...native, run: fused({ parallelListing: 1 }) },
  [WHOLE]: { ...native, run: (client, target) => client.deletePrefix(only(target)) },
}

async function runTasks(taskSource, taskExecutor) {
  const errors = []
  const onTaskError = (error) => errors.push(error)
  const limits = { maxTasksInFlight: IN_FLIGHT, maxTasksInExecution: IN_EXECUTION }
  await provider.executeTasks({ ...limits, taskSource, taskExecutor, onTaskError })
  if (errors.length > 0) throw errors[0]
}

async function* pages(client, params, until) {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, params)) {
    const keys = Contents.map(({ Key }) => Key).filter((key) => until === undefined || key <= until)
    if (keys.length > 0) yield { task: keys }
    if (keys.length < Contents.length) return
  }
}

/** Several ranges at once, as the native listing does by itself; where flat keys part is told, not found. */
async function* sharded(client, target) {
  const ranges = (await rangesOf(client, target)).values()
  const lister = async function* () {
    for (const { until, ...range } of ranges) yield* pages(client, range, until)
  }
  yield* mergeAsyncGenerators(Array.from({ length: LISTERS }, lister))
}

async function rangesOf(client, { Bucket, Prefix, count }) {
  const { CommonPrefixes = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix, Delimiter: '/' }))
  if (CommonPrefixes.length > 0) return CommonPrefixes.map((folder) => ({ Bucket, Prefix: folder.Prefix }))
  const starts = Array.from(
    { length: 2 * LISTERS },
    (_, range) => `${Prefix}${`${Math.floor((range * count) / (2 * LISTERS))}`.padStart(8, '0')}`,
  )
  return starts.map((start, range) => ({
    Bucket,
    Prefix,
    StartAfter: range === 0 ? undefined : start,
    until: starts[range + 1],
  }))
}

async function deleteKeys(client, Bucket, keys) {
  const Objects = keys.map((Key) => ({ Key }))
  const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
  if (Errors.length > 0) throw new Error(`${Errors.length} keys stayed, ${Errors[0].Key} for ${Errors[0].Code}`)
}

export { FUSED, PAGES, SERIAL, SHARDED, TASKS, WHOLE, ways }
