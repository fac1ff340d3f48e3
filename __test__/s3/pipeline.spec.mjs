// executeTasks with ends of S3: fused, or with JavaScript at one end.
import test from 'ava'
import { SynchronizerProvider, mergeAsyncGenerators, rebatchTasks, toTasks } from 'ya-syn-native'
import { S3BulkError, S3DeleteError } from 'ya-syn-native/s3'
import { Bucket, keysOf, requests, sleep, waitUntil, withStore } from './store.mjs'

withStore(test)
const serial = test.serial
const sp = new SynchronizerProvider()

const ends = {
  'both native': [(c) => c.listKeys({ Bucket, MaxKeys: 100 }), (c) => c.deleteObjects({ Bucket })],
  'versions, both native': [(c) => c.listObjectVersions({ Bucket, MaxKeys: 100 }), (c) => c.deleteObjects({ Bucket })],
  'objects, both native': [(c) => c.listObjects({ Bucket, MaxKeys: 100 }), (c) => c.deleteObjects({ Bucket })],
  'objects, JavaScript filter': [
    (c) => c.listObjects({ Bucket, where: ({ Size }) => Size === 0 }),
    (c) => c.deleteObjects({ Bucket }),
  ],
  'JavaScript source': [
    async (c) => toTasks([await keysOf(c)]),
    (c) => c.deleteObjects({ Bucket, batchSize: 300, maxTasksInExecution: 5 }),
  ],
  'a listing that was cut again': [(c) => rebatchTasks(c.listKeys({ Bucket }), 7), (c) => c.deleteObjects({ Bucket })],
  'listings that were merged': [
    (c) =>
      mergeAsyncGenerators([
        c.listKeys({ Bucket, filter: { regex: '^[0-7]' } }),
        c.listKeys({ Bucket, filter: { regex: '^[8-9a-f]' } }),
      ]),
    (c) => c.deleteObjects({ Bucket }),
  ],
  'JavaScript filter': [(c) => c.listKeys({ Bucket, where: () => true }), (c) => c.deleteObjects({ Bucket })],
  'JavaScript executor': [
    (c) => c.listKeys({ Bucket }),
    (c) => {
      const del = c.deleteObjects({ Bucket })
      return (task) => del(task)
    },
  ],
  'a listing that was begun': [
    async (c) => {
      const listing = c.listKeys({ Bucket })
      c.begun = (await listing.next()).value
      return listing
    },
    (c) => c.deleteObjects({ Bucket }),
  ],
}
for (const [name, [source, executor]] of Object.entries(ends)) {
  serial(`executeTasks with ends that are: ${name}`, async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, template: '{x}', count: 2500 })
    const taskSource = await source(client)
    const result = await sp.executeTasks({
      maxTasksInFlight: 20,
      maxTasksInExecution: 5,
      taskSource,
      taskExecutor: executor(client),
    })
    t.is(result, undefined)
    t.deepEqual(await keysOf(client), client.begun?.task.sort() ?? [])
    t.true((await server.stats()).inFlight.byOperation.DeleteObjects.peak <= 5)
    t.deepEqual(await taskSource.next(), { done: true, value: undefined })
  })
}

serial('a listing of another client is run in JavaScript', async (t) => {
  const { client, open, server } = t.context
  await server.seed({ bucket: Bucket, template: '{x}', count: 2500 })
  await sp.executeTasks({
    maxTasksInFlight: 20,
    taskSource: open().listKeys({ Bucket }),
    taskExecutor: client.deleteObjects({ Bucket }),
  })
  t.deepEqual(await keysOf(client), [])
})

serial('mapTasks takes a listing and the executor too', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:04}', count: 50 })
  const del = client.deleteObjects({ Bucket })
  const taskMapper = async ({ task }) => {
    await del({ task })
    return task.length
  }
  const lengths = []
  for await (const length of sp.mapTasks({
    maxTasksInFlight: 3,
    taskSource: client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1 }),
    taskMapper,
  }))
    lengths.push(length)
  t.deepEqual(lengths, [10, 10, 10, 10, 10])
  t.deepEqual(await keysOf(client), [])
})

serial('the fused run deletes from the bucket that was listed, and refuses another', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  await server.seed({ bucket: 'other', keys: ['a'] })
  const run = sp.executeTasks({
    maxTasksInFlight: 5,
    taskSource: client.listKeys({ Bucket }),
    taskExecutor: client.deleteObjects({ Bucket: 'other' }),
  })
  await t.throwsAsync(run, {
    code: 'Invalid',
    message: /The Bucket of taskExecutor must be that of taskSource, "bucket", but is 'other'/,
  })
  t.deepEqual(await keysOf(client, { Bucket: 'other' }), ['a'])
})

const denials = [
  {
    operation: 'DeleteObjects',
    times: 'always',
    prefix: 'no',
    keyError: { code: 'AccessDenied', message: 'not yours' },
  },
]
for (const [name, options] of [
  ['fused', {}],
  ['with a filter in JavaScript', { where: () => true }],
]) {
  serial(`onTaskError gets the keys that failed as task: ${name}`, async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['no 1', 'no 2', 'ok'] })
    await server.faults(denials)
    const told = []
    const onTaskError = (error, { task }) =>
      told.push([error instanceof S3DeleteError, error.failed.map(({ Key, code }) => [Key, code]), task])
    await sp.executeTasks({
      maxTasksInFlight: 5,
      taskSource: client.listKeys({ Bucket, ...options }),
      taskExecutor: client.deleteObjects({ Bucket }),
      onTaskError,
    })
    t.deepEqual(
      told.map(([isDeleteError, failed]) => [isDeleteError, failed]),
      [
        [
          true,
          [
            ['no 1', 'AccessDenied'],
            ['no 2', 'AccessDenied'],
          ],
        ],
      ],
    )
    // In JavaScript a task is the page, as for every executor.
    t.deepEqual(told[0][2], name === 'fused' ? ['no 1', 'no 2'] : ['no 1', 'no 2', 'ok'])
    t.deepEqual(await keysOf(client), ['no 1', 'no 2'])
  })
}

serial('without onTaskError the fused run goes on, as every pipeline does', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['no 1', 'ok'] })
  await server.faults(denials)
  await sp.executeTasks({
    maxTasksInFlight: 5,
    taskSource: client.listKeys({ Bucket }),
    taskExecutor: client.deleteObjects({ Bucket }),
  })
  t.deepEqual(await keysOf(client), ['no 1'])
})

serial('an onTaskError that throws rejects the fused run with its first error, after all is done', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: 'no{i}', count: 30 })
  await server.seed({ bucket: Bucket, template: 'ok{i}', count: 30 })
  await server.faults(denials)
  const error = new Error('broken handler')
  let calls = 0
  const onTaskError = async () => {
    if (calls++ === 0) throw error
    throw new Error('another')
  }
  const run = sp.executeTasks({
    maxTasksInFlight: 5,
    taskSource: client.listKeys({ Bucket, MaxKeys: 10 }),
    taskExecutor: client.deleteObjects({ Bucket, batchSize: 10 }),
    onTaskError,
  })
  t.is(await t.throwsAsync(run), error)
  t.true(calls > 1)
  t.is((await keysOf(client)).length, 30)
})

serial('a listing that fails rejects the fused run after what it gave is gone', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:04}', count: 100 })
  await server.faults([{ operation: 'ListObjectsV2', nth: 4, times: 'always', status: 403, code: 'AccessDenied' }])
  const run = sp.executeTasks({
    maxTasksInFlight: 50,
    taskSource: client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1 }),
    taskExecutor: client.deleteObjects({ Bucket }),
  })
  await t.throwsAsync(run, { instanceOf: S3BulkError, code: 'AccessDenied' })
  await server.faults([])
  t.is((await keysOf(client)).length, 70)
})

serial('a signal ends the fused run with its reason once what is in flight has ended', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 50 })
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 20_000 })
  const controller = new AbortController()
  const reason = new Error('enough')
  const params = () => ({
    maxTasksInFlight: 9,
    maxTasksInExecution: 2,
    signal: controller.signal,
    taskSource: client.listKeys({ Bucket }),
    taskExecutor: client.deleteObjects({ Bucket, batchSize: 100 }),
  })
  const run = t.throwsAsync(sp.executeTasks(params()))
  await waitUntil(async () => (await server.stats()).inFlight.byOperation.DeleteObjects?.now === 2)
  controller.abort(reason)
  t.is(await run, reason)
  t.is((await server.stats()).inFlight.byOperation.DeleteObjects.now, 0)
  const sent = await requests(server, 'DeleteObjects')
  t.is(await t.throwsAsync(sp.executeTasks(params())), reason)
  t.is(await requests(server, 'DeleteObjects'), sent)
})

serial('the fused run reports progress as every pipeline does, and in keys', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 30 })
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 3000 })
  const seen = []
  await sp.executeTasks({
    maxTasksInFlight: 9,
    maxTasksInExecution: 1,
    taskSource: client.listKeys({ Bucket }),
    taskExecutor: client.deleteObjects({ Bucket, batchSize: 500 }),
    onProgress: (progress) => seen.push(progress),
  })
  t.like(seen.at(-1), {
    pulled: 3000,
    running: 0,
    done: 3000,
    failed: 0,
    listed: 3000,
    deleted: 3000,
    inFlight: 0,
    throttled: 0,
  })
})

serial('limits of executeTasks are checked before the fused run begins', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  for (const params of [
    { maxTasksInFlight: 0 },
    { maxTasksInFlight: undefined },
    { maxTasksInFlight: 5, maxTasksInExecution: 0.5 },
    { maxTasksInFlight: 5, onTaskError: 5 },
    { maxTasksInFlight: 5, signal: 5 },
  ]) {
    const run = sp.executeTasks({
      taskSource: client.listKeys({ Bucket }),
      taskExecutor: client.deleteObjects({ Bucket }),
      ...params,
    })
    await t.throwsAsync(run, { code: 'Invalid' })
  }
  t.deepEqual(await keysOf(client), ['a'])
})

serial('limitPerKey of executeTasks sees whole pages, with both ends native', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i%3}/{i:05}', count: 3000 })
  const seen = []
  const key = (page) => {
    seen.push(page.length)
    return page[0].slice(0, 2)
  }
  await sp.executeTasks({
    maxTasksInFlight: 20,
    taskSource: client.listKeys({ Bucket, MaxKeys: 100 }),
    taskExecutor: client.deleteObjects({ Bucket }),
    limitPerKey: { key, maxTasksInExecution: 1 },
  })
  t.deepEqual(await keysOf(client), [])
  t.is(
    seen.reduce((sum, length) => sum + length, 0),
    3000,
  )
})

for (const [name, where] of [
  ['fused', undefined],
  ['with a filter in JavaScript', () => true],
]) {
  serial(`the window holds the listing up: ${name}`, async (t) => {
    const { open, server } = t.context
    await server.seed({ bucket: Bucket, template: '{i:06}', count: 5000 })
    await server.faults([{ operation: 'DeleteObjects', times: 'always', never: true }])
    const client = open({ requestTimeout: 500, maxAttempts: 1 })
    const controller = new AbortController()
    const run = sp.executeTasks({
      maxTasksInFlight: 3,
      signal: controller.signal,
      taskSource: client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1, where }),
      taskExecutor: client.deleteObjects({ Bucket, batchSize: 10, maxTasksInExecution: 1 }),
    })
    const ended = t.throwsAsync(run)
    await waitUntil(async () => (await server.stats()).inFlight.byOperation.DeleteObjects?.now === 1)
    await sleep(100)
    const { listed } = (await server.stats()).keys
    t.true(listed >= 30 && listed <= 150, `${listed} keys listed`)
    controller.abort(new Error('enough'))
    await ended
    t.is((await keysOf(client)).length, 5000)
  })
}
