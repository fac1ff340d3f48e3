// The executor on its own: batches, calls that share requests, keys that fail, and the end.
import test from 'ava'
import { S3BulkError, S3DeleteError } from 'ya-syn-native/s3'
import { Bucket, keysOf, numbered, requests, sleep, versionsOf, waitUntil, withStore } from './store.mjs'

withStore(test)
const serial = test.serial
const name = (i) => String(i).padStart(5, '0')

serial('pages of any size are cut into batches', async (t) => {
  const { client, server } = t.context
  for (const [count, batchSize, expected] of [
    [0, 1000, 0],
    [1, 1000, 1],
    [999, 1000, 1],
    [1000, 1000, 1],
    [1001, 1000, 2],
    [2500, 1000, 3],
    [100, 1, 100],
    [100, 33, 4],
  ]) {
    await server.reset()
    await server.seed({ bucket: Bucket, template: '{i:05}', count: count || 1 })
    t.is(await client.deleteObjects({ Bucket, batchSize })({ task: numbered(count, name) }), undefined)
    const stats = await server.stats()
    t.is(stats.requests.byOperation.DeleteObjects ?? 0, expected, `${count} in batches of ${batchSize}`)
    t.true(stats.largestDelete <= batchSize)
    t.deepEqual(await keysOf(client), count ? [] : ['00000'])
  }
})

serial('calls that are pending together share requests, and one alone settles', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 30 })
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 101 })
  const del = client.deleteObjects({ Bucket, batchSize: 50, maxTasksInExecution: 1 })
  await del({ task: [name(100)] })
  t.is(await requests(server, 'DeleteObjects'), 1)
  await Promise.all(numbered(100, (i) => del({ task: [name(i)] })))
  t.true((await requests(server, 'DeleteObjects')) <= 1 + 4)
  t.deepEqual(await keysOf(client), [])
})

serial('while a request slot is free a call waits for no others', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 100 })
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 3 })
  const del = client.deleteObjects({ Bucket, maxTasksInExecution: 3 })
  const calls = []
  for (let i = 0; i < 3; i++) {
    calls.push(del({ task: [name(i)] }))
    await waitUntil(async () => (await server.stats()).inFlight.byOperation.DeleteObjects?.now === i + 1)
  }
  await Promise.all(calls)
  t.is(await requests(server, 'DeleteObjects'), 3)
})

serial('a key named twice goes, in one call and in two', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
  const del = client.deleteObjects({ Bucket })
  await del({ task: ['a', 'a'] })
  await Promise.all([del({ task: ['b'] }), del({ task: ['b', 'b'] })])
  t.deepEqual(await keysOf(client), [])
})

serial(
  'each call is told of its own keys that failed, with code and message, and of how many were deleted',
  async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a', 'b', '-c & d', '-é', 'e'] })
    await server.faults([
      {
        operation: 'DeleteObjects',
        times: 'always',
        prefix: '-',
        keyError: { code: 'AccessDenied', message: 'not yours' },
      },
    ])
    const del = client.deleteObjects({ Bucket, maxTasksInExecution: 1 })
    const [one, two, three] = await Promise.allSettled([
      del({ task: ['a'] }),
      del({ task: ['b', '-c & d'] }),
      del({ task: [{ Key: 'e' }, '-é'] }),
    ])
    t.is(one.status, 'fulfilled')
    t.true(two.reason instanceof S3DeleteError)
    t.is(two.reason.name, 'S3DeleteError')
    t.is(two.reason.message, '1 key of bucket "bucket" was not deleted: "-c & d": AccessDenied (not yours)')
    t.like(two.reason, { code: 'AccessDenied', deleted: 1 })
    t.deepEqual(two.reason.failed, [{ Key: '-c & d', code: 'AccessDenied', message: 'not yours' }])
    t.deepEqual(
      [three.reason.failed, three.reason.deleted],
      [[{ Key: '-é', code: 'AccessDenied', message: 'not yours' }], 1],
    )
    t.deepEqual(await keysOf(client), ['-c & d', '-é'])
  },
)

serial('a message names a few keys and counts the others', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 5 })
  await server.faults([
    { operation: 'DeleteObjects', times: 'always', status: 403, code: 'AccessDenied', message: 'no' },
  ])
  const error = await t.throwsAsync(client.deleteObjects({ Bucket })({ task: numbered(5, name) }))
  t.regex(
    error.message,
    /^5 keys of bucket "bucket" were not deleted: "00000": AccessDenied \(no \(.*\)\), "00001": .*, "00002": .*, and 2 more$/,
  )
  t.is(error.failed.length, 5)
})

serial('versions and keys go side by side', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a', 'b'], puts: 3, versioning: 'Enabled' })
  const [newest, ...old] = (await versionsOf(client)).filter(({ Key }) => Key === 'a')
  const del = client.deleteObjects({ Bucket })
  await del({ task: [...old, 'b'] })
  const left = await versionsOf(client)
  t.deepEqual(
    left.filter(({ Key }) => Key === 'a'),
    [newest],
  )
  t.deepEqual(
    left.filter(({ Key }) => Key === 'b').map(({ IsDeleteMarker }) => IsDeleteMarker),
    [true, false, false, false],
  )
  await server.faults([{ operation: 'DeleteObjects', times: 'always', key: 'a', keyError: { code: 'AccessDenied' } }])
  const { VersionId } = newest
  const error = await t.throwsAsync(del({ task: [newest] }))
  t.deepEqual(error.failed, [{ Key: 'a', VersionId, code: 'AccessDenied', message: 'the store gives no reason' }])
})

serial('listed versions can be given to it as they are', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:04}', count: 600, puts: 2, delete: true, versioning: 'Enabled' })
  const del = client.deleteObjects({ Bucket })
  for await (const { task } of client.listObjectVersions({ Bucket })) await del({ task })
  t.deepEqual(await versionsOf(client), [])
})

serial('tasks that are no pages of keys are refused by value, and touch nothing', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  const del = client.deleteObjects({ Bucket })
  for (const [task, message] of [
    ['a', /The task of deleteObjects must be an array of keys.*but is 'a'/],
    [undefined, /array of keys/],
    [['a', 5], /A key to delete must be a string or \{ Key, VersionId\? \}, but is 5/],
    [['a', null], /but is null/],
    [['a', {}], /A key to delete/],
    [[{ Key: 'a', VersionId: 5 }], /VersionId of "a" must be a string that is not empty, or left out, but is 5/],
    [[{ Key: 'a', VersionId: '' }], /VersionId of "a" must be a string that is not empty, or left out, but is ''/],
  ]) {
    await t.throwsAsync(del({ task }), { code: 'Invalid', message })
  }
  t.deepEqual(await keysOf(client), ['a'])
})

const refused = [
  [{ Bucket: '' }, /Bucket/],
  [{ maxTasksInExecution: 0 }, /maxTasksInExecution must be an integer of at least 1, but is 0/],
  [{ maxTasksInExecution: '5' }, /maxTasksInExecution/],
  [{ BypassGovernanceRetention: 1 }, /BypassGovernanceRetention must be a boolean/],
  [{ MFA: 123456 }, /MFA must be a string/],
  [{ limitPerKey: 5 }, /limitPerKey must be an object/],
  [{ limitPerKey: { maxTasksInExecution: 1 } }, /limitPerKey must be an object with either prefixLength or delimiter/],
  [{ limitPerKey: { prefixLength: 1, delimiter: '/', maxTasksInExecution: 1 } }, /either prefixLength or delimiter/],
  [
    { limitPerKey: { prefixLength: 0, maxTasksInExecution: 1 } },
    /limitPerKey\.prefixLength must be an integer from 1 to 1024/,
  ],
  [
    { limitPerKey: { delimiter: '', maxTasksInExecution: 1 } },
    /limitPerKey\.delimiter must be a string that is not empty/,
  ],
  [{ limitPerKey: { prefixLength: 1 } }, /limitPerKey\.maxTasksInExecution/],
  [
    { limitPerKey: { prefixLength: 1, maxTasksInExecution: 1, synchronizers: {} } },
    /limitPerKey\.synchronizers must be a SynchronizerProvider/,
  ],
]
test('options that deleteObjects does not know are refused by name', (t) => {
  const message = /batchsize must be left out: deleteObjects knows .*batchSize.*, but is 5/
  t.throws(() => t.context.client.deleteObjects({ Bucket, batchsize: 5 }), { code: 'Invalid', message })
})

test('bad options are refused by name and value', (t) => {
  const { client } = t.context
  for (const [options, message] of refused)
    t.throws(() => client.deleteObjects({ Bucket, ...options }), { code: 'Invalid', message })
  for (const batchSize of [0, -1, 1.5, NaN, Infinity, 1001, '5']) {
    t.throws(() => client.deleteObjects({ Bucket, batchSize }), {
      code: 'Invalid',
      message: /batchSize must be an integer from 1 to 1000/,
    })
  }
  for (const maxTasksInExecution of [1, 2 ** 40, Number.MAX_VALUE])
    t.notThrows(() => client.deleteObjects({ Bucket, maxTasksInExecution }))
})

serial('after a fault that makes all pointless every pending key is named, and later calls work', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 300 })
  // The answer takes a while, so that both calls are pending when it comes.
  await server.faults([{ operation: 'DeleteObjects', times: 1, status: 404, code: 'NoSuchBucket', delayMs: 300 }])
  const del = client.deleteObjects({ Bucket, batchSize: 100, maxTasksInExecution: 1 })
  const [one, two] = await Promise.allSettled([
    del({ task: numbered(150, name) }),
    del({ task: numbered(150, (i) => name(150 + i)) }),
  ])
  for (const { reason } of [one, two]) {
    t.true(reason instanceof S3DeleteError)
    t.is(reason.failed.length, 150)
    t.true(reason.failed.every(({ code }) => code === 'NoSuchBucket'))
  }
  t.is(await requests(server, 'DeleteObjects'), 1)
  await del({ task: numbered(300, name) })
  t.deepEqual(await keysOf(client), [])
})

serial('a signal keeps pending calls from being sent, and its reason is theirs', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 50 })
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 300 })
  const controller = new AbortController()
  const reason = new Error('enough')
  const del = client.deleteObjects({ Bucket, batchSize: 100, maxTasksInExecution: 1, signal: controller.signal })
  const call = del({ task: numbered(300, name) })
  await waitUntil(async () => (await server.stats()).inFlight.byOperation.DeleteObjects?.now === 1)
  controller.abort(reason)
  t.is(await t.throwsAsync(call), reason)
  t.is(await t.throwsAsync(del({ task: ['00299'] })), reason)
  await sleep(100)
  t.deepEqual((await keysOf(client)).length, 200, 'what was in flight was carried through')
})

serial('executors of one client are independent', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  await server.seed({ bucket: 'other', keys: ['a', 'b'] })
  await Promise.all([
    client.deleteObjects({ Bucket })({ task: ['a'] }),
    client.deleteObjects({ Bucket: 'other' })({ task: ['b'] }),
  ])
  t.deepEqual([await keysOf(client), await keysOf(client, { Bucket: 'other' })], [[], ['a']])
  await t.throwsAsync(client.deleteObjects({ Bucket: 'not-there' })({ task: ['a'] }), {
    instanceOf: S3BulkError,
    code: 'NoSuchBucket',
  })
})
