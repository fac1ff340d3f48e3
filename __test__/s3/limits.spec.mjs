// Limits: requests in flight, limits per prefix, synchronizers that are shared with JavaScript, and stores that throttle.
import test from 'ava'
import { SynchronizerProvider } from 'ya-syn-native'
import { Bucket, keysOf, numbered, requests, sleep, sorted, waitUntil, withStore } from './store.mjs'

withStore(test)
const serial = test.serial
const sp = new SynchronizerProvider()

serial('requests in flight hold exactly, retries included', async (t) => {
  const { client, server } = t.context
  for (const [maxTasksInExecution, count, latencyDelete] of [
    [1, 500, 20],
    [7, 2000, 60],
    [64, 10_000, 500],
  ]) {
    await server.reset()
    await server.configure({ latencyDelete })
    await server.seed({ bucket: Bucket, template: '{i:05}', count })
    await server.faults([{ operation: 'DeleteObjects', nth: 3, times: 5, status: 503, code: 'ServiceUnavailable' }])
    await client.deleteObjects({ Bucket, batchSize: 100, maxTasksInExecution })({
      task: numbered(count, (i) => String(i).padStart(5, '0')),
    })
    t.is((await server.stats()).inFlight.byOperation.DeleteObjects.peak, maxTasksInExecution)
    t.deepEqual(await keysOf(client), [])
  }
})

serial('a job that lists and deletes holds both bounds', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 40, latencyList: 5 })
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 10_000 })
  await server.faults([{ operation: 'DeleteObjects', nth: 3, times: 5, status: 503, code: 'ServiceUnavailable' }])
  const result = await client.deletePrefix({
    Bucket,
    all: true,
    batchSize: 100,
    maxTasksInExecution: 7,
    MaxKeys: 100,
    parallelListing: 4,
  })
  const { byOperation } = (await server.stats()).inFlight
  t.like(result, { deleted: 10_000, failed: 0, retries: 5 })
  t.is(byOperation.DeleteObjects.peak, 7)
  t.true(byOperation.ListObjectsV2.peak <= 4 + 32)
})

serial('single deletes are bounded as well', async (t) => {
  const { open, server } = t.context
  await server.configure({ latencyDelete: 10, noMultiDelete: 501 })
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 300 })
  const result = await open().deletePrefix({ Bucket, all: true, maxTasksInExecution: 6 })
  const { byOperation } = (await server.stats()).inFlight
  t.is(result.deleted, 300)
  t.is(byOperation.DeleteObject.peak, 6)
  await server.seed({ bucket: Bucket, template: '\u0001{i:05}', count: 50 })
  await server.configure({ noMultiDelete: null })
  await server.reset({ only: 'stats' })
  t.is((await open().deletePrefix({ Bucket, all: true, maxTasksInExecution: 3 })).deleted, 50)
  const alone = (await server.stats()).inFlight.byOperation
  t.is(alone.DeleteObject.peak, 3, 'keys that XML can not carry')
  t.is(alone.DeleteObjects.total, 0)
})

serial('on a slow store smaller batches stay within the request timeout', async (t) => {
  const { open, server } = t.context
  await server.configure({ latencyPerKey: 1 })
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 1000 })
  const client = open({ requestTimeout: 500, maxAttempts: 2 })
  const large = await t.throwsAsync(
    client.deleteObjects({ Bucket })({ task: numbered(1000, (i) => String(i).padStart(5, '0')) }),
  )
  t.is(large.code, 'RequestTimeout')
  t.is(await requests(server, 'DeleteObjects'), 2)
  const small = await client.deletePrefix({ Bucket, all: true, batchSize: 200, maxTasksInExecution: 2 })
  t.is(small.failed, 0)
  t.deepEqual(await keysOf(client), [])
})

serial('sockets are bounded by the requests that may be in flight', async (t) => {
  const { open, server } = t.context
  for (const [parallelListing, probes] of [
    [1, 0],
    [8, 32],
  ]) {
    await server.reset()
    await server.configure({ latencyDelete: 20, latencyList: 5 })
    await server.seed({ bucket: Bucket, template: '{i:05}', count: 20_000 })
    await Promise.all(numbered(4, () => server.stats()))
    const before = (await server.stats()).connections.now
    await open().deletePrefix({ Bucket, all: true, batchSize: 100, maxTasksInExecution: 10, parallelListing })
    const { connections } = await server.stats()
    const sockets = connections.total - before
    // A connection that is being made when another one gets free is one more than was needed.
    t.true(connections.peak - before <= 1.5 * (10 + parallelListing + probes), `${connections.peak - before} sockets`)
    t.true(sockets < 200 / 2, `${sockets} sockets for 200 requests`)
  }
})

serial('a request touches one prefix, and each prefix has its limit', async (t) => {
  const { client, server } = t.context
  for (const limitPerKey of [
    { prefixLength: 2, maxTasksInExecution: 2 },
    { delimiter: '/', maxTasksInExecution: 2 },
  ]) {
    for (const run of ['fused', 'deletePrefix', 'executor']) {
      await server.reset()
      await server.configure({ latencyDelete: 40, prefixLength: 2 })
      await server.seed({ bucket: Bucket, template: '{i%4}/{i:05}', count: 4000 })
      const keys = await keysOf(client)
      const options = { Bucket, batchSize: 100, limitPerKey }
      if (run === 'fused')
        await sp.executeTasks({
          maxTasksInFlight: 50,
          taskSource: client.listKeys({ Bucket, parallelListing: 1 }),
          taskExecutor: client.deleteObjects(options),
        })
      if (run === 'deletePrefix')
        t.is((await client.deletePrefix({ all: true, parallelListing: 1, ...options })).deleted, 4000)
      if (run === 'executor') await client.deleteObjects(options)({ task: keys })
      const stats = await server.stats()
      t.deepEqual(
        Object.keys(stats.prefixes),
        numbered(4, (i) => `${Bucket}/${i}/`),
      )
      for (const { peakInFlight, requests: sent } of Object.values(stats.prefixes)) {
        t.is(peakInFlight, 2, run)
        t.is(sent, 10, 'batches are full')
      }
      // If a request had touched two prefixes it would count for both.
      t.is(stats.requests.byOperation.DeleteObjects, 40)
      t.deepEqual(await keysOf(client), [])
    }
  }
})

serial('a delimiter counts behind the prefix that all keys have', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 10, prefixLength: 4 })
  await server.seed({ bucket: Bucket, template: 'x/{i%4}/{i:05}', count: 800 })
  const { requests: sent, ...result } = await client.deletePrefix({
    Bucket,
    Prefix: 'x/',
    batchSize: 100,
    parallelListing: 1,
    limitPerKey: { delimiter: '/', maxTasksInExecution: 1 },
  })
  t.is(result.deleted, 800)
  t.is(sent, 8 + 1)
  for (const { peakInFlight, requests: count } of Object.values((await server.stats()).prefixes))
    t.deepEqual([peakInFlight, count], [1, 2])
})

serial('while the window has room a busy prefix does not hold up others', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i%4}/{i:05}', count: 4000 })
  await server.faults([{ operation: 'DeleteObjects', prefix: '0/', times: 'always', delayMs: 1500 }])
  const taskExecutor = client.deleteObjects({
    Bucket,
    batchSize: 500,
    limitPerKey: { prefixLength: 2, maxTasksInExecution: 1 },
  })
  const run = sp.executeTasks({
    maxTasksInFlight: 50,
    maxTasksInExecution: 2,
    taskSource: client.listKeys({ Bucket }),
    taskExecutor,
  })
  await waitUntil(async () => (await keysOf(client)).every((key) => key.startsWith('0/')))
  t.true((await keysOf(client)).length > 0)
  await run
  t.deepEqual(await keysOf(client), [])
})

serial('with synchronizers the limit is the very forKey(prefix) of JavaScript', async (t) => {
  const { client, server } = t.context
  for (const run of ['fused', 'deletePrefix', 'executor']) {
    await server.reset()
    await server.configure({ latencyDelete: 60, prefixLength: 2 })
    await server.seed({ bucket: Bucket, template: '{i%4}/{i:05}', count: 2000 })
    const options = {
      Bucket,
      batchSize: 100,
      limitPerKey: { prefixLength: 2, maxTasksInExecution: 2, synchronizers: sp },
    }
    const keys = await keysOf(client)
    const guards = [await sp.forKey('3/', 2).acquire(), await sp.forKey('3/').acquire()]
    const done = {
      fused: () =>
        sp.executeTasks({
          maxTasksInFlight: 50,
          taskSource: client.listKeys({ Bucket }),
          taskExecutor: client.deleteObjects(options),
        }),
      deletePrefix: () => client.deletePrefix({ all: true, ...options }),
      executor: () => client.deleteObjects(options)({ task: keys }),
    }[run]()
    await waitUntil(async () => (await keysOf(client)).length === 500)
    t.true(
      (await keysOf(client)).every((key) => key.startsWith('3/')),
      'no key was deleted whose synchronizer was held',
    )
    t.is(sp.forKey('3/').stats.numberOfRunningTasks, 2)
    t.true(sp.forKey('3/').stats.numberOfTasks > 2, 'the native requests wait in the queue')
    guards.forEach((guard) => guard.release())
    await done
    const peaks = Object.values((await server.stats()).prefixes).map(({ peakInFlight }) => peakInFlight)
    t.is(peaks.length, 4)
    t.is(Math.max(...peaks), 2)
    t.deepEqual(await keysOf(client), [])
    for (let i = 0; i < 4; i++) await waitUntil(() => sp.forKey(`${i}/`).stats.numberOfTasks === 0)
  }
})

serial('prefixes count UTF-16 units as slice does, also in the middle of a character', async (t) => {
  const { client, server } = t.context
  const keys = ['😀a', '😃b', '漢字', 'é', 'aé漢', 'x'].map((key) => `${key}-tail`)
  for (const prefixLength of [1, 2, 3]) {
    await server.seed({ bucket: Bucket, keys })
    const asked = new Set()
    const synchronizers = {
      forKey: (key, limit) => {
        asked.add(key)
        return sp.forKey(key, limit)
      },
    }
    await client.deletePrefix({
      Bucket,
      all: true,
      limitPerKey: { prefixLength, maxTasksInExecution: 1, synchronizers },
    })
    t.deepEqual(sorted(asked), sorted(new Set(keys.map((key) => key.slice(0, prefixLength)))))
    t.deepEqual(await keysOf(client), [])
  }
})

serial('an abort ends a job that waits for a synchronizer, and leaves its queue', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a/1'] })
  const guard = await sp.forKey('a/').acquire()
  const controller = new AbortController()
  const limitPerKey = { prefixLength: 2, maxTasksInExecution: 1, synchronizers: sp }
  const run = client.deletePrefix({ Bucket, all: true, limitPerKey, signal: controller.signal })
  const ended = t.throwsAsync(run, { name: 'AbortError' })
  await waitUntil(() => sp.forKey('a/').stats.numberOfTasks === 2)
  controller.abort()
  await ended
  t.is(sp.forKey('a/').stats.numberOfTasks, 1)
  guard.release()
  t.deepEqual(await keysOf(client), ['a/1'])
})

serial('a job that is closed while it waits for a synchronizer gives back what it gets', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a/1', 'a/2'] })
  const guard = await sp.forKey('a/').acquire()
  const client = open()
  const call = client.deleteObjects({
    Bucket,
    limitPerKey: { prefixLength: 2, maxTasksInExecution: 1, synchronizers: sp },
  })({ task: ['a/1'] })
  const ended = t.throwsAsync(call, { code: 'Closed' })
  await waitUntil(() => sp.forKey('a/').stats.numberOfTasks === 2)
  await client.close()
  await ended
  guard.release()
  await waitUntil(() => sp.forKey('a/').stats.numberOfTasks === 0)
})

serial('onTaskError may take the synchronizer that the job uses', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 5 })
  await server.seed({ bucket: Bucket, template: 'a/{i:04}', count: 200 })
  await server.faults([{ operation: 'DeleteObjects', times: 'always', status: 403, code: 'AccessDenied' }])
  let handled = 0
  const onTaskError = () =>
    sp.forKey('a/').synchronized(async () => {
      handled++
    })
  const options = {
    Bucket,
    all: true,
    batchSize: 10,
    MaxKeys: 10,
    limitPerKey: { prefixLength: 2, maxTasksInExecution: 1, synchronizers: sp },
    onTaskError,
  }
  t.is((await client.deletePrefix(options)).failed, 200)
  t.true(handled > 0)
})

serial('a synchronizer that can not be had fails the job with its message', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a/1'] })
  const synchronizers = {
    forKey: () => {
      throw new Error('no lock today')
    },
  }
  const error = await t.throwsAsync(
    client.deletePrefix({ Bucket, all: true, limitPerKey: { prefixLength: 1, maxTasksInExecution: 1, synchronizers } }),
  )
  t.regex(error.message, /no lock today/)
  t.deepEqual(await keysOf(client), ['a/1'])
})

serial('throttled tries do not count against maxAttempts', async (t) => {
  const { open, server } = t.context
  const client = open({ maxAttempts: 1 })
  await server.seed({ bucket: Bucket, keys: ['a'] })
  await server.faults([
    { operation: 'DeleteObjects', times: 4, status: 503, code: 'SlowDown' },
    { operation: 'ListObjectsV2', times: 2, status: 503, code: 'SlowDown' },
  ])
  t.like(await client.deletePrefix({ Bucket, all: true }), { deleted: 1, throttled: 6, retries: 6 })
})

serial('throttling without end is given up after throttleTimeout, in deletes and in listings', async (t) => {
  const { open, server } = t.context
  const client = open({ throttleTimeout: 300 })
  await server.seed({ bucket: Bucket, keys: ['a'] })
  for (const operation of ['DeleteObjects', 'ListObjectsV2']) {
    await server.faults([{ operation, times: 'always', status: 503, code: 'SlowDown' }])
    const started = performance.now()
    const error = await t.throwsAsync(client.deletePrefix({ Bucket, all: true }), { code: 'SlowDown' })
    t.is(error.counts.failed, operation === 'DeleteObjects' ? 1 : 0)
    t.true(performance.now() - started >= 300)
  }
})

serial('a store that throttles a prefix gets all its keys deleted, and none fails', async (t) => {
  const { client, server } = t.context
  await server.configure({ keysPerSecondPerPrefix: 2000, prefixLength: 2, latencyDelete: 20 })
  await server.seed({ bucket: Bucket, template: '{i%4}/{i:06}', count: 24_000 })
  const { elapsedMs, ...result } = await client.deletePrefix({ Bucket, all: true })
  t.like(result, { deleted: 24_000, failed: 0 })
  t.true(result.throttled > 0)
  t.deepEqual(await keysOf(client), [])
  // One second's burst, and then 2,000 a second of 4 prefixes.
  t.true(elapsedMs > 1500, `${elapsedMs} ms`)
  t.true(elapsedMs < 8000, `${elapsedMs} ms`)
})

serial('other prefixes keep their speed while one is throttled', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i%4}/{i:05}', count: 8000 })
  await server.faults([{ operation: 'DeleteObjects', prefix: '0/', times: 6, status: 503, code: 'SlowDown' }])
  for (const limitPerKey of [undefined, { prefixLength: 2, maxTasksInExecution: 4 }]) {
    const run = client.deletePrefix({ Bucket, all: true, batchSize: 250, maxTasksInExecution: 4, limitPerKey })
    const started = performance.now()
    await waitUntil(async () => (await keysOf(client)).every((key) => key.startsWith('0/')))
    const others = performance.now() - started
    const { deleted, failed } = await run
    t.deepEqual([deleted, failed], [8000, 0])
    const all = performance.now() - started
    t.true(others < all, `${others} ms of ${all} ms`)
    await server.seed({ bucket: Bucket, template: '{i%4}/{i:05}', count: 8000 })
    await server.faults([{ operation: 'DeleteObjects', prefix: '0/', times: 6, status: 503, code: 'SlowDown' }])
  }
})

serial('throttling and synchronizers together keep the limit and lose no key', async (t) => {
  const { client, server } = t.context
  await server.configure({ keysPerSecondPerPrefix: 1500, maxInFlightPerPrefix: 2, prefixLength: 2, latencyDelete: 5 })
  await server.seed({ bucket: Bucket, template: '{i%4}/{i:05}', count: 10_000 })
  let others = 0
  let isOver = false
  const other = (async () => {
    // JavaScript uses the same limit meanwhile.
    while (!isOver) {
      await sp.forKey(`${others % 4}/`).synchronized(() => sleep(5))
      others++
    }
  })()
  const limitPerKey = { prefixLength: 2, maxTasksInExecution: 2, synchronizers: sp }
  const result = await client.deletePrefix({ Bucket, all: true, batchSize: 100, limitPerKey })
  isOver = true
  await other
  t.like(result, { deleted: 10_000, failed: 0 })
  t.true(others > 0)
  for (const { peakInFlight } of Object.values((await server.stats()).prefixes)) t.true(peakInFlight <= 2)
  t.deepEqual(await keysOf(client), [])
})
