// The whole job in one call: what it refuses, what it counts, what it tells of, and how it ends.
import test from 'ava'
import { Bucket, flat, keysOf, requests, sleep, versionsOf, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

serial('it resolves with what it did, in numbers', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: 'k/{i:05}', count: 2500, size: 3 })
  await server.seed({ bucket: Bucket, keys: ['other'] })
  await server.reset({ only: 'stats' })
  // One range: of several, looking for more may end in the middle of a question, which the store may not see.
  const result = await client.deletePrefix({ Bucket, Prefix: 'k/', batchSize: 500, parallelListing: 1 })
  const { elapsedMs, requests: sent, ...counts } = result
  t.deepEqual(counts, {
    listed: 2500,
    deleted: 2500,
    failed: 0,
    markersCreated: 0,
    bytes: 7500,
    retries: 0,
    throttled: 0,
  })
  t.is(sent, (await server.stats()).requests.total)
  t.true(elapsedMs > 0 && elapsedMs < 60_000)
  t.deepEqual(await keysOf(client), ['other'])
})

serial('batches hold what they may, and nothing is sent for nothing', async (t) => {
  const { client, server } = t.context
  for (const [count, expected] of [
    [0, 0],
    [1, 1],
    [999, 1],
    [1000, 1],
    [1001, 2],
    [2000, 2],
  ]) {
    await server.reset()
    await server.seed({ bucket: Bucket, keys: ['other'] })
    await server.seed({ bucket: Bucket, template: 'k/{i:05}', count })
    const { deleted } = await client.deletePrefix({ Bucket, Prefix: 'k/', parallelListing: 1 })
    const stats = await server.stats()
    t.is(deleted, count)
    t.is(stats.requests.byOperation.DeleteObjects ?? 0, expected)
    t.true(stats.largestDelete <= 1000)
    t.deepEqual(await keysOf(client), ['other'])
  }
})

serial('an empty or missing prefix is refused unless all is true, and then a prefix is', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  for (const Prefix of ['', undefined, null, 5, {}, ['a']]) {
    for (const all of [undefined, false]) {
      const error = await t.throwsAsync(client.deletePrefix({ Bucket, Prefix, all }), { code: 'Invalid' })
      t.regex(
        error.message,
        /Prefix must be a string that is not empty; to delete everything in the bucket set `all: true`/,
      )
    }
  }
  for (const all of ['true', 1, {}])
    await t.throwsAsync(client.deletePrefix({ Bucket, all }), { code: 'Invalid', message: /all must be a boolean/ })
  await t.throwsAsync(client.deletePrefix({ Bucket, Prefix: 'a', all: true }), {
    code: 'Invalid',
    message: /Prefix must be left out when `all` is true, but is 'a'/,
  })
  await t.throwsAsync(client.deletePrefix(), { code: 'Invalid' })
  t.is((await server.stats()).requests.total, 0)
  const { deleted } = await client.deletePrefix({ Bucket, all: true })
  t.is(deleted, 1)
})

serial('other bad options are refused by name before anything is sent', async (t) => {
  const { client, server } = t.context
  for (const [options, message] of [
    [{ batchSize: 0 }, /batchSize/],
    [{ batchSize: 1001 }, /batchSize/],
    [{ parallelListing: 0 }, /parallelListing/],
    [{ maxTasksInExecution: -1 }, /maxTasksInExecution/],
    [{ maxTasksInFlight: 0.5 }, /maxTasksInFlight/],
    [{ versions: 'yes' }, /versions/],
    [{ dryRun: 1 }, /dryRun must be a boolean/],
    [{ onTaskError: 5 }, /onTaskError/],
    [{ onProgress: {} }, /onProgress/],
    [{ signal: 'x' }, /signal/],
    [{ where: () => true }, /where must be left out: use `filter`/],
    [{ filter: 'x' }, /filter/],
    [{ dryrun: true }, /dryrun must be left out: deletePrefix knows .*dryRun.*, but is true/],
    [{ suffix: '.tmp' }, /suffix must be left out/],
    [{ limitPerKey: {} }, /limitPerKey/],
  ]) {
    await t.throwsAsync(client.deletePrefix({ Bucket, Prefix: 'a', ...options }), { code: 'Invalid', message })
  }
  t.is((await server.stats()).requests.total, 0)
})

serial('dryRun counts, and touches nothing', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: 'k/{i:04}', count: 2100, size: 2, puts: 2, versioning: 'Enabled' })
  await server.reset({ only: 'stats' })
  const seen = []
  const plain = await client.deletePrefix({
    Bucket,
    Prefix: 'k/',
    dryRun: true,
    onProgress: (progress) => seen.push(progress),
  })
  t.like(plain, { listed: 2100, deleted: 2100, failed: 0, bytes: 4200, markersCreated: 0 })
  t.like(seen.at(-1), { listed: 2100, deleted: 0 })
  const versions = await client.deletePrefix({ Bucket, all: true, versions: true, dryRun: true })
  t.like(versions, { deleted: 4200, bytes: 8400 })
  const some = await client.deletePrefix({ Bucket, all: true, dryRun: true, filter: { suffix: '7' } })
  t.like(some, { deleted: 210 })
  t.is((await server.stats()).keys.deleted, 0)
  t.is((await keysOf(client)).length, 2100)
})

serial(
  'a plain delete in a versioned bucket says that markers were made, and versions: true removes all',
  async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, template: 'k/{i:04}', count: 1500, versioning: 'Enabled' })
    await server.seed({ bucket: Bucket, keys: ['other'] })
    await server.reset({ only: 'stats' })
    const plain = await client.deletePrefix({ Bucket, Prefix: 'k/' })
    t.like(plain, { deleted: 1500, failed: 0, markersCreated: 1500 })
    t.is((await server.stats()).keys.markersCreated, 1500)
    t.is((await versionsOf(client)).length, 3001)
    const all = await client.deletePrefix({ Bucket, Prefix: 'k/', versions: true })
    t.like(all, { listed: 3000, deleted: 3000, failed: 0, markersCreated: 0 })
    t.deepEqual(
      (await versionsOf(client)).map(({ Key }) => Key),
      ['other'],
    )
  },
)

serial('markers are counted when keys go one by one too, and where the store ignores Quiet', async (t) => {
  const { open, server } = t.context
  for (const [settings, deleteMode] of [
    [{}, 'single'],
    [{ ignoreQuiet: true }, 'auto'],
    [{ requireContentMd5: true }, 'auto'],
  ]) {
    await server.reset()
    await server.configure(settings)
    await server.seed({ bucket: Bucket, template: 'k/{i:04}', count: 25, versioning: 'Enabled' })
    const client = open({ deleteMode })
    t.like(await client.deletePrefix({ Bucket, all: true }), { deleted: 25, markersCreated: 25 })
    t.like(await client.deletePrefix({ Bucket, all: true, versions: true }), { deleted: 50, markersCreated: 0 })
  }
})

serial('only what a filter admits is deleted', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a b', 'a+b', 'a%2Fb', 'a/b'], size: 5, lastModifiedMs: 1000 })
  t.like(await client.deletePrefix({ Bucket, all: true, filter: { regex: '^a\\+b$' } }), { listed: 1, deleted: 1 })
  t.deepEqual(await keysOf(client), ['a b', 'a%2Fb', 'a/b'])
  t.like(await client.deletePrefix({ Bucket, all: true, filter: { modifiedBefore: new Date(1000) } }), { deleted: 0 })
  t.like(
    await client.deletePrefix({
      Bucket,
      all: true,
      filter: { modifiedBefore: new Date(1001), minSize: 5, glob: 'a*' },
    }),
    { deleted: 2, bytes: 10 },
  )
  t.deepEqual(await keysOf(client), ['a/b'])
})

serial('the first refusal is told within a second, long before the end', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyList: 5, latencyDelete: 100 })
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 30_000 })
  await server.faults([{ operation: 'DeleteObjects', times: 'always', status: 403, code: 'AccessDenied' }])
  const started = performance.now()
  const told = []
  let count = 0
  const onTaskError = (error, { task }) => {
    told.push(performance.now() - started)
    count += task.length
  }
  const { deleted, failed } = await client.deletePrefix({ Bucket, all: true, maxTasksInExecution: 2, onTaskError })
  t.deepEqual([deleted, failed, count], [0, 30_000, 30_000])
  t.true(told[0] < 1000 && told[0] < told.at(-1) / 4, `${told[0]} ms of ${told.at(-1)} ms`)
})

serial('a slow onTaskError holds the job up instead of filling the memory', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 10_000 })
  await server.faults([{ operation: 'DeleteObjects', times: 'always', status: 403, code: 'AccessDenied' }])
  let go
  const gate = new Promise((resolve) => (go = resolve))
  const job = client.deletePrefix({
    Bucket,
    all: true,
    MaxKeys: 100,
    batchSize: 100,
    maxTasksInExecution: 2,
    maxTasksInFlight: 4,
    onTaskError: () => gate,
  })
  await sleep(300)
  const sent = await requests(server, 'DeleteObjects')
  t.true(sent <= 20, `${sent} requests`)
  go()
  t.is((await job).failed, 10_000)
})

serial('progress comes at most ten times a second and once at the end, and never claims too much', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 60 })
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 10_000 })
  const seen = []
  const started = performance.now()
  let checks = Promise.resolve()
  const onProgress = (progress) => {
    seen.push(progress)
    // What the store has done by the time it answers is at least what was claimed before.
    checks = checks.then(async () => t.true((await server.stats()).keys.deleted >= progress.deleted))
  }
  await client.deletePrefix({ Bucket, all: true, maxTasksInExecution: 1, batchSize: 500, onProgress })
  const elapsed = performance.now() - started
  await checks
  t.true(seen.length <= elapsed / 100 + 1, `${seen.length} calls in ${elapsed} ms`)
  t.true(seen.length >= elapsed / 100 / 3, `${seen.length} calls in ${elapsed} ms`)
  const { perSecond, ...last } = seen.at(-1)
  t.deepEqual(last, { listed: 10_000, deleted: 10_000, failed: 0, inFlight: 0, throttled: 0 })
  t.true(perSecond >= 0)
  t.true(seen.every(({ deleted }, i) => i === 0 || deleted >= seen[i - 1].deleted))
  t.true(seen.some(({ inFlight }) => inFlight === 1))
  t.true(seen.slice(1, -1).some(({ perSecond: rate }) => rate > 0 && rate < 50_000))
})

serial('an onProgress that throws disturbs nothing', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  const warned = new Promise((resolve) => process.once('warning', resolve))
  const onProgress = () => {
    throw new Error('broken listener')
  }
  t.is((await client.deletePrefix({ Bucket, all: true, onProgress })).deleted, 1)
  t.regex((await warned).message, /broken listener/)
})

serial('several jobs of one client run side by side', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i%4}/{i:05}', count: 4000 })
  const results = await Promise.all([0, 1, 2].map((i) => client.deletePrefix({ Bucket, Prefix: `${i}/` })))
  t.deepEqual(
    results.map(({ deleted }) => deleted),
    [1000, 1000, 1000],
  )
  t.true((await flat(client.listKeys({ Bucket }))).every((key) => key.startsWith('3/')))
})
