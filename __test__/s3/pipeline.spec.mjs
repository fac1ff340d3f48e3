// Sources, executors and the pipeline between them: limits, batches, progress, abort.
import test from 'ava'
import { SynchronizerProvider, toTasks } from 'ya-syn-native'
import { Bucket, keysOf, until, withStore } from './store.mjs'

withStore(test)
const serial = test.serial
const sp = new SynchronizerProvider()

serial('S11: batches hold what they may, and nothing is sent for nothing', async (t) => {
  const { client, server } = t.context
  for (const [count, requests] of [[0, undefined], [1, 1], [999, 1], [1000, 1], [1001, 2], [2000, 2]]) {
    await server.reset()
    await server.seed({ bucket: Bucket, template: 'k/{i:05}', count })
    const { deleted } = await client.deletePrefix({ Bucket, Prefix: 'k/', parallelListing: 1 })
    const stats = await server.stats()
    t.is(deleted, count)
    t.is(stats.requests.byOperation.DeleteObjects, requests)
    t.true(stats.largestDelete <= 1000)
  }
})

serial('S11: a page that a filter empties, an empty call and a key named twice', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 30 })
  const pages = []
  for await (const { task } of client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1, filter: { glob: '0001?' } })) pages.push(task.length)
  t.deepEqual(pages, [10])
  const del = client.deleteObjects({ Bucket })
  await del({ task: [] })
  await del({ task: ['00001', '00001'] })
  t.is((await server.stats()).requests.byOperation.DeleteObjects, 1)
})

serial('calls that are pending together share requests, and one alone settles', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 30 })
  await server.seed({ bucket: Bucket, template: '{i:03}', count: 100 })
  const del = client.deleteObjects({ Bucket, batchSize: 50, maxTasksInExecution: 1 })
  const keys = await keysOf(client)
  await Promise.all(keys.map((key) => del({ task: [key] })))
  t.true((await server.stats()).requests.byOperation.DeleteObjects <= 4)
  t.deepEqual(await keysOf(client), [])
})

for (const [name, source, executor] of [
  ['both native', (c) => c.listKeys({ Bucket, MaxKeys: 100 }), (c) => c.deleteObjects({ Bucket })],
  ['JavaScript source', async (c) => toTasks([await keysOf(c)]), (c) => c.deleteObjects({ Bucket, batchSize: 300 })],
  ['JavaScript filter', (c) => c.listKeys({ Bucket, where: () => true }), (c) => c.deleteObjects({ Bucket })],
  ['JavaScript executor', (c) => c.listKeys({ Bucket }), (c) => { const del = c.deleteObjects({ Bucket }); return (task) => del(task) }],
]) {
  serial(`executeTasks with ends that are: ${name}`, async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, template: '{x}', count: 2500 })
    await sp.executeTasks({ maxTasksInFlight: 20, maxTasksInExecution: 5, taskSource: await source(client), taskExecutor: executor(client) })
    t.deepEqual(await keysOf(client), [])
  })
}

serial('S13: what is in flight stays in its bounds, retries included', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 20 })
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 4000 })
  await server.faults([{ operation: 'DeleteObjects', nth: 3, times: 5, status: 503, code: 'ServiceUnavailable' }])
  const result = await client.deletePrefix({ Bucket, all: true, batchSize: 100, maxTasksInExecution: 7 })
  const { byOperation } = (await server.stats()).inFlight
  t.is(result.deleted, 4000)
  t.is(byOperation.DeleteObjects.peak, 7)
  t.true(byOperation.ListObjectsV2.peak <= 8 + 32)
})

serial('limitPerKey: a prefix has its limit, a request touches one, and synchronizers share it', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 10, prefixLength: 2 })
  const limitPerKey = { prefixLength: 2, maxTasksInExecution: 1 }
  for (const synchronizers of [undefined, sp]) {
    await server.reset()
    await server.seed({ bucket: Bucket, template: '{i%4}/{i:05}', count: 2000 })
    const taskExecutor = client.deleteObjects({ Bucket, batchSize: 100, limitPerKey: { ...limitPerKey, synchronizers } })
    let inside = 0
    const held = synchronizers?.forKey('3/', 1).synchronized(async () => {
      await until(async () => (await keysOf(client)).every((key) => key.startsWith('3/')))
      inside = (await keysOf(client)).length
    })
    await sp.executeTasks({ maxTasksInFlight: 50, taskSource: client.listKeys({ Bucket }), taskExecutor })
    await held
    if (synchronizers !== undefined) t.is(inside, 500, 'no key of the prefix went while its synchronizer was held')
    for (const { peakInFlight, requests } of Object.values((await server.stats()).prefixes)) {
      t.is(peakInFlight, 1)
      t.true(requests >= 5)
    }
    t.deepEqual(await keysOf(client), [])
  }
  await until(() => sp.numberOfKeys <= 4)
})

serial('S12: an empty or missing prefix is refused unless all is true', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  for (const Prefix of ['', undefined, null, 5]) {
    const error = await t.throwsAsync(client.deletePrefix({ Bucket, Prefix }))
    t.is(error.code, 'Invalid')
    t.regex(error.message, /Prefix.*all/)
  }
  const { deleted } = await client.deletePrefix({ Bucket, Prefix: 'a', dryRun: true })
  t.is(deleted, 1)
  t.deepEqual(await keysOf(client), ['a'])
  await client.deletePrefix({ Bucket, all: true })
  t.deepEqual(await keysOf(client), [])
})

test('X01: batchSize outside of 1 to 1,000 is refused by name', (t) => {
  for (const batchSize of [0, -1, 1.5, NaN, Infinity, 1001, '5']) {
    t.throws(() => t.context.client.deleteObjects({ Bucket, batchSize }), { code: 'Invalid', message: /batchSize must be an integer from 1 to 1000/ })
  }
})

serial('S17: a plain delete says how many markers it made, and versions removes all', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: 'k/{i:04}', count: 1500, versioning: 'Enabled' })
  const plain = await client.deletePrefix({ Bucket, Prefix: 'k/' })
  t.deepEqual([plain.deleted, plain.markersCreated], [1500, 1500])
  const all = await client.deletePrefix({ Bucket, Prefix: 'k/', versions: true })
  t.deepEqual([all.deleted, all.markersCreated], [3000, 0])
  for await (const page of client.listObjectVersions({ Bucket })) t.fail(`${page.task.length} versions stayed`)
})

for (const template of ['{i:08}', '{x}', 'p/{i%16:02}/{i:06}', 'a/b/c/{x:4}/{i}']) {
  serial(`each key comes once from parallel listing: ${template}`, async (t) => {
    const { client, server } = t.context
    await server.configure({ latencyList: 2 })
    await server.seed({ bucket: Bucket, template, count: 6000 })
    const keys = await keysOf(client, { parallelListing: 8, MaxKeys: 100 })
    t.is(keys.length, 6000)
    t.is(new Set(keys).size, 6000)
    t.true((await server.stats()).inFlight.byOperation.ListObjectsV2.peak <= 8 + 32)
  })
}

serial('listObjects tells size, time and tag', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'], size: 5, lastModifiedMs: 1_700_000_000_000 })
  const { value } = await client.listObjects({ Bucket }).next()
  t.like(value.task[0], { Key: 'a', Size: 5 })
  t.is(value.task[0].LastModified.getTime(), 1_700_000_000_000)
  t.regex(value.task[0].ETag, /^".+"$/)
  const { deleted, bytes } = await client.deletePrefix({ Bucket, all: true, filter: { modifiedBefore: new Date(), minSize: 5 } })
  t.deepEqual([deleted, bytes], [1, 5])
})

serial('S14, A02: an abort stops listing and deleting, and says what was done', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 20, latencyList: 5 })
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 50_000 })
  const controller = new AbortController()
  const onProgress = ({ deleted }) => deleted > 0 && controller.abort(new Error('enough'))
  const job = () => client.deletePrefix({ Bucket, all: true, batchSize: 100, maxTasksInExecution: 4, signal: controller.signal, onProgress })
  const error = await t.throwsAsync(job())
  t.is(error.name, 'AbortError')
  t.is(error.cause, controller.signal.reason)
  await until(async () => (await server.stats()).inFlight.now === 0)
  const { keys, requests } = await server.stats()
  t.is(keys.deleted, error.counts.deleted)
  t.true(keys.deleted < 50_000)
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.deepEqual((await server.stats()).requests.byOperation, requests.byOperation)
  const fused = { maxTasksInFlight: 9, taskSource: client.listKeys({ Bucket }), taskExecutor: client.deleteObjects({ Bucket }), signal: controller.signal }
  t.is(await t.throwsAsync(sp.executeTasks(fused)), controller.signal.reason)
})

serial('S14: the first refusal is told while the job runs', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyList: 5 })
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 20_000 })
  await server.faults([{ operation: 'DeleteObjects', times: 'always', status: 403, code: 'AccessDenied' }])
  const counts = []
  const onTaskError = async (error, { task }) => counts.push(error.failed.length, task.length)
  const { deleted, failed } = await client.deletePrefix({ Bucket, all: true, onTaskError })
  t.deepEqual([deleted, failed], [0, 20_000])
  t.true(counts.length > 10)
})

serial('progress comes at most ten times a second and once at the end, and never claims too much', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 100 })
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 5000 })
  const seen = []
  const started = performance.now()
  await client.deletePrefix({ Bucket, all: true, maxTasksInExecution: 1, onProgress: (p) => seen.push(p) })
  t.true(seen.length <= (performance.now() - started) / 100 + 2)
  t.like(seen.at(-1), { listed: 5000, deleted: 5000, failed: 0, inFlight: 0, throttled: 0 })
})

serial('close() ends what runs and leaves no socket open', async (t) => {
  const { open, server } = t.context
  await server.configure({ latencyDelete: 20 })
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 3000 })
  const client = open()
  const del = client.deleteObjects({ Bucket, batchSize: 10, maxTasksInExecution: 1 })
  const call = del({ task: await keysOf(client) })
  const rejected = t.throwsAsync(call)
  await until(async () => (await server.stats()).inFlight.now > 0)
  await client.close()
  t.is((await rejected).code, 'Closed')
  await until(async () => (await server.stats()).connections.now <= 1)
  await t.throwsAsync(client.listKeys({ Bucket }).next(), { code: 'Closed' })
})
