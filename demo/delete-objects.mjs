// `npm run demo`: deletes the objects of an S3 bucket in each way that is in use, and compares them.
//
// The store is the test server of this repository, on the loopback interface, with the latency of a store far away.
import { DeleteObjectCommand, DeleteObjectsCommand, S3Client, paginateListObjectsV2 } from '@aws-sdk/client-s3'
import { SynchronizerProvider, rebatchTasks } from 'ya-syn-native'
import { S3BulkClient } from 'ya-syn-native/s3'
import { runDemo } from './lib/run.mjs'
import { significant } from './lib/table.mjs'
import { startS3Server } from '../tools/s3-server/start.mjs'

const Bucket = 'demo'
const PREFIXES = 16
const PREFIX_LENGTH = 4
const PER_PREFIX = 2
const IN_FLIGHT = 1000
const IN_EXECUTION = 50
const SMALL_BATCH = 250
// The ways that take about a second run more than once, and the median is shown.
const ROUNDS = 3

const ONE_BY_ONE = 'DeleteObject, one at a time'
const IN_SEQUENCE = 'DeleteObjects per page, in sequence'
const PIPELINE = `executeTasks, ${IN_FLIGHT} in flight, ${IN_EXECUTION} in execution`
const PER_KEY = `executeTasks, forKey(prefix, ${PER_PREFIX}) around ${IN_EXECUTION}`
const RECUT = `the same, pages re-cut to ${SMALL_BATCH} keys`
const NATIVE = 'executeTasks, native listKeys and deleteObjects'
const WHOLE = 'native deletePrefix'

await runDemo({
  command: 'npm run demo',
  about: 'Deletes objects from an S3 bucket in several ways and compares them.',
  spec: {
    objects: { value: 10_000, min: 1, unit: 'N', about: 'how many objects each way deletes' },
    sample: { value: 200, min: 1, unit: 'N', about: 'how many of them the way that takes one at a time deletes' },
    'latency-list': {
      value: 40,
      min: 0,
      fraction: true,
      unit: 'MS',
      about: 'how long the store takes for a page of keys',
    },
    'latency-delete': {
      value: 100,
      min: 0,
      fraction: true,
      unit: 'MS',
      about: 'how long it takes for a delete request',
    },
  },
  open,
})

async function open({ objects, sample, 'latency-list': latencyList, 'latency-delete': latencyDelete }) {
  // Which Node.js versions the SDK will support one day is no news from a demo.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  const server = await startS3Server({ latencyList, latencyDelete })
  const store = {
    region: 'us-east-1',
    endpoint: server.endpoint,
    forcePathStyle: true,
    credentials: server.credentials,
  }
  const client = new S3Client({
    ...store,
    // One socket for each request that may run, and one for the listing.
    requestHandler: { httpAgent: { maxSockets: IN_EXECUTION + 1 } },
  })
  const s3 = new S3BulkClient(store)
  const way = (name, items, rounds, run) => ({
    name,
    items,
    rounds,
    async prepare() {
      const template = `{i%${PREFIXES}:0${PREFIX_LENGTH}}/{i:08}`
      await server.seed({ bucket: Bucket, template, count: items })
      await server.reset({ only: 'stats' })
    },
    run: (add) => run(client, add),
    async check() {
      const { requests, inFlight } = await server.stats()
      return { requests: requests.total, peak: inFlight.peak, problem: await whatIsLeft(client) }
    },
  })
  return {
    title:
      `${objects.toLocaleString('en')} objects, ${PREFIXES} prefixes; ` +
      `the store takes ${latencyList} ms for a page of keys and ${latencyDelete} ms for a delete request; ` +
      `the median of ${ROUNDS} rounds`,
    item: 'key',
    request: 'request',
    baseline: IN_SEQUENCE,
    ways: [
      way(ONE_BY_ONE, Math.min(sample, objects), 1, oneByOne),
      way(IN_SEQUENCE, objects, ROUNDS, inSequence),
      way(PIPELINE, objects, ROUNDS, pipeline),
      way(PER_KEY, objects, ROUNDS, (client, add) => limitedPerPrefix(client, add, pages(client))),
      way(RECUT, objects, ROUNDS, (client, add) =>
        limitedPerPrefix(client, add, rebatchTasks(pages(client), SMALL_BATCH)),
      ),
      way(NATIVE, objects, ROUNDS, (_, add) => native(s3, add)),
      way(WHOLE, objects, ROUNDS, (_, add) => s3.deletePrefix({ Bucket, all: true, onProgress: deletedWith(add) })),
    ],
    checked: 'after each way the bucket was listed, and no key was left.',
    notes: (rateOf) => notes(rateOf, { latencyList, latencyDelete }),
    async close() {
      client.destroy()
      await s3.close()
      await server.stop()
    },
  }
}

// The ways.

async function oneByOne(client, add) {
  for await (const { task: keys } of pages(client)) {
    for (const Key of keys) {
      await client.send(new DeleteObjectCommand({ Bucket, Key }))
      add(1)
    }
  }
}

async function inSequence(client, add) {
  for await (const { task: keys } of pages(client)) await deleteKeys(client, keys, add)
}

async function pipeline(client, add) {
  await execute({
    maxTasksInFlight: IN_FLIGHT,
    maxTasksInExecution: IN_EXECUTION,
    taskSource: pages(client),
    taskExecutor: ({ task: keys }) => deleteKeys(client, keys, add),
  })
}

async function limitedPerPrefix(client, add, taskSource) {
  const provider = new SynchronizerProvider()
  const shared = provider.createSynchronizer({ maxConcurrentExecution: IN_EXECUTION })
  await execute({
    maxTasksInFlight: IN_FLIGHT,
    taskSource,
    // A request touches one prefix only; so a page that holds several is split.
    taskExecutor: ({ task: keys }) =>
      Promise.all(
        byPrefix(keys).map(([prefix, batch]) =>
          provider
            .forKey(prefix, PER_PREFIX)
            .synchronized(() => shared.synchronized(() => deleteKeys(client, batch, add))),
        ),
      ),
  })
}

async function native(s3, add) {
  await execute({
    maxTasksInFlight: IN_FLIGHT,
    maxTasksInExecution: IN_EXECUTION,
    taskSource: s3.listKeys({ Bucket }),
    taskExecutor: s3.deleteObjects({ Bucket }),
    onProgress: deletedWith(add),
  })
}

// What they share.

// Progress tells the total each time.
function deletedWith(add) {
  let before = 0
  return ({ deleted }) => {
    add(deleted - before)
    before = deleted
  }
}

async function execute(params) {
  const errors = []
  await new SynchronizerProvider().executeTasks({ ...params, onTaskError: (error) => errors.push(error) })
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} tasks failed: ${errors[0].message}`)
}

async function* pages(client) {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    yield { task: Contents.map(({ Key }) => Key) }
  }
}

async function deleteKeys(client, keys, add) {
  const Objects = keys.map((Key) => ({ Key }))
  const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
  if (Errors.length > 0) throw new Error(`${Errors.length} keys stayed, ${Errors[0].Key} for ${Errors[0].Code}`)
  add(keys.length)
}

function byPrefix(keys) {
  const groups = new Map()
  for (const key of keys) {
    const prefix = key.slice(0, PREFIX_LENGTH)
    if (groups.has(prefix)) groups.get(prefix).push(key)
    else groups.set(prefix, [key])
  }
  return [...groups]
}

async function whatIsLeft(client) {
  let left = 0
  for await (const { task: keys } of pages(client)) left += keys.length
  return left === 0 ? undefined : `${left.toLocaleString('en')} keys are left in the bucket`
}

function notes(rateOf, { latencyList, latencyDelete }) {
  const gain = (name, over) => `${significant(rateOf(name) / rateOf(over))}x`
  const fromS3 = `${gain(IN_SEQUENCE, ONE_BY_ONE)} from DeleteObject to DeleteObjects comes from S3: one request takes 1,000 keys.`
  const fromOverlap =
    latencyList + latencyDelete === 0
      ? `${gain(PIPELINE, IN_SEQUENCE)} from pages in sequence to executeTasks: without latency there is nothing for ` +
        'concurrency to gain. One request after the other keeps this process and the store as busy as many at once do.'
      : `${gain(PIPELINE, IN_SEQUENCE)} from pages in sequence to executeTasks comes from overlap: deletes run while the ` +
        `next pages are listed. A listing gives one page after the other, one every ${latencyList} ms; that limit is what ` +
        `remains, and ${IN_EXECUTION} requests at once are never needed unless deletes take much longer than pages.`
  const forTheStore =
    `${gain(PER_KEY, PIPELINE)} with forKey and ${gain(RECUT, PIPELINE)} with smaller batches, both ` +
    'against executeTasks alone: they are there for the store, not for speed. A request touches one prefix and a prefix ' +
    `gets ${PER_PREFIX} requests at once at most, so that a store with a limit per prefix need not answer SlowDown; the ` +
    'price is more requests.'
  const fromNative =
    `${gain(NATIVE, PIPELINE)} from executeTasks to native ends comes from listing several ranges of the keys ` +
    'at once, which begins after the first pages, so that it gains more the more keys there are; and no JavaScript runs per ' +
    'page. npm run bench:s3 tells the two apart.'
  return [fromS3, fromOverlap, forTheStore, fromNative]
}
