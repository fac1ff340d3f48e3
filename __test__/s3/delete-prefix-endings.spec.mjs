// How a deletePrefix ends: refused keys, faults and aborts, and what its rejection tells.
import { getEventListeners } from 'node:events'
import test from 'ava'
import { S3AbortError, S3BulkError, S3DeleteError } from 'ya-syn-native/s3'
import { Bucket, keysOf, requests, waitUntil, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

const denied = (times = 'always') => [
  { operation: 'DeleteObjects', times, prefix: 'no', keyError: { code: 'AccessDenied', message: 'not yours' } },
]

serial('each key that failed reaches onTaskError by name and code, and the job resolves', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: 'ok/{i}', count: 50 })
  await server.seed({ bucket: Bucket, keys: ['no & 1', 'no\n2'], puts: 2, versioning: 'Enabled' })
  await server.faults(denied())
  for (const [versions, count] of [
    [false, 2],
    [true, 4],
  ]) {
    const told = []
    const onTaskError = async (error, { task }) => {
      t.true(error instanceof S3DeleteError)
      t.deepEqual(
        error.failed.map(({ Key, VersionId }) => (versions ? { Key, VersionId } : Key)),
        task,
      )
      told.push(...error.failed)
    }
    const { failed } = await client.deletePrefix({ Bucket, all: true, versions, onTaskError })
    t.deepEqual([failed, told.length], [count, count])
    t.deepEqual([...new Set(told.map(({ Key }) => Key))].sort(), ['no\n2', 'no & 1'])
    t.true(told.every(({ code, message }) => code === 'AccessDenied' && message === 'not yours'))
    t.true(told.every(({ VersionId }) => (typeof VersionId === 'string') === versions))
  }
  t.deepEqual(await keysOf(client), ['no\n2', 'no & 1'])
})

serial('without onTaskError they reach the rejection, with the counts', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: 'ok/{i}', count: 50 })
  await server.seed({ bucket: Bucket, template: 'no/{i:02}', count: 12 })
  await server.faults(denied())
  const error = await t.throwsAsync(client.deletePrefix({ Bucket, all: true }), {
    instanceOf: S3DeleteError,
    code: 'AccessDenied',
  })
  t.is(error.failed.length, 12)
  t.deepEqual(error.failed[0], { Key: 'no/00', code: 'AccessDenied', message: 'not yours' })
  t.is(error.deleted, 50)
  t.like(error.counts, { listed: 62, deleted: 50, failed: 12 })
})

serial('an onTaskError that throws rejects the job with its first error after all is done', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: 'ok/{i}', count: 50 })
  await server.seed({ bucket: Bucket, template: 'no/{i}', count: 30 })
  await server.faults(denied())
  const errors = []
  const onTaskError = () => {
    errors.push(new Error(`number ${errors.length}`))
    throw errors.at(-1)
  }
  t.is(
    await t.throwsAsync(client.deletePrefix({ Bucket, all: true, batchSize: 10, MaxKeys: 10, onTaskError })),
    errors[0],
  )
  t.true(errors.length > 1)
  t.is((await keysOf(client)).length, 30)
})

serial('a fault of the listing rejects with its code and the counts, after what was listed is gone', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:04}', count: 100 })
  await server.faults([{ operation: 'ListObjectsV2', nth: 4, times: 'always', status: 403, code: 'AccessDenied' }])
  const error = await t.throwsAsync(client.deletePrefix({ Bucket, all: true, MaxKeys: 10, parallelListing: 1 }), {
    instanceOf: S3BulkError,
    code: 'AccessDenied',
  })
  t.is(error.status, 403)
  t.like(error.counts, { listed: 30, deleted: 30, failed: 0 })
})

const ends = {
  abort: ({ controller }) => controller.abort(),
  close: ({ client }) => client.close(),
  fault: ({ server }) =>
    server.faults([...denied(), { operation: 'ListObjectsV2', times: 'always', status: 403, code: 'AccessDenied' }]),
}
for (const [name, end] of Object.entries(ends)) {
  serial(`keys that failed before the job ended by ${name} are in the rejection`, async (t) => {
    const { open, server } = t.context
    await server.configure({ latencyList: 20 })
    await server.seed({ bucket: Bucket, template: 'no/{i:04}', count: 3000 })
    await server.faults(denied())
    const client = open()
    const controller = new AbortController()
    const rejected = t.throwsAsync(
      client.deletePrefix({
        Bucket,
        all: true,
        MaxKeys: 10,
        batchSize: 10,
        parallelListing: 1,
        signal: controller.signal,
      }),
      { instanceOf: S3BulkError },
    )
    await waitUntil(async () => (await requests(server, 'DeleteObjects')) >= 2)
    await end({ client, controller, server })
    const { failed, counts, code } = await rejected
    t.is(code, { abort: 'ABORT_ERR', close: 'Closed', fault: 'AccessDenied' }[name])
    t.true(counts.failed > 0 && counts.failed < 3000)
    t.is(failed.length, counts.failed)
    t.deepEqual(failed[0], { Key: 'no/0000', code: 'AccessDenied', message: 'not yours' })
  })
}

serial('an abort stops listing and deleting, and says exactly what was done', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyDelete: 20, latencyList: 5 })
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 50_000 })
  const controller = new AbortController()
  const { signal } = controller
  const onProgress = ({ deleted }) => deleted > 0 && controller.abort(new Error('enough'))
  const error = await t.throwsAsync(
    client.deletePrefix({ Bucket, all: true, batchSize: 100, maxTasksInExecution: 4, signal, onProgress }),
    { instanceOf: S3AbortError },
  )
  const { keys, requests: sent, inFlight } = await server.stats()
  t.like(error, { name: 'AbortError', code: 'ABORT_ERR', cause: signal.reason })
  t.is(inFlight.byOperation.DeleteObjects.now, 0)
  t.is(keys.deleted, error.counts.deleted)
  t.true(keys.deleted > 0 && keys.deleted < 50_000)
  t.is((await keysOf(client)).length, 50_000 - error.counts.deleted)
  t.is(await requests(server, 'DeleteObjects'), sent.byOperation.DeleteObjects, 'nothing more was sent')
  t.regex(error.message, new RegExp(`${keys.deleted} keys are deleted, 0 failed`))
  t.deepEqual(getEventListeners(signal, 'abort'), [])
  const late = await t.throwsAsync(client.deletePrefix({ Bucket, all: true, signal }), { instanceOf: S3AbortError })
  t.like(late.counts, { listed: 0, deleted: 0, failed: 0, requests: 0 })
})

serial('after an abort, requests that are not answered end at their timeout', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:04}', count: 100 })
  await server.faults([{ operation: 'DeleteObjects', times: 'always', never: true }])
  const controller = new AbortController()
  const job = open({ requestTimeout: 300 }).deletePrefix({
    Bucket,
    all: true,
    batchSize: 10,
    maxTasksInExecution: 2,
    signal: controller.signal,
  })
  const rejected = t.throwsAsync(job, { instanceOf: S3AbortError })
  await waitUntil(async () => (await server.stats()).inFlight.byOperation.DeleteObjects?.now === 2)
  controller.abort()
  const { counts } = await rejected
  t.is(counts.deleted, 0)
  t.is(await requests(server, 'DeleteObjects'), 2)
})

serial('one signal ends several jobs, and the handler that was there before still fires', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyList: 20 })
  await server.seed({ bucket: Bucket, template: '{i:04}', count: 3000 })
  const controller = new AbortController()
  let heard = 0
  controller.signal.onabort = () => heard++
  const jobs = [1, 2, 3].map(() =>
    t.throwsAsync(client.deletePrefix({ Bucket, all: true, MaxKeys: 10, signal: controller.signal }), {
      name: 'AbortError',
    }),
  )
  setTimeout(() => controller.abort(), 50)
  await Promise.all(jobs)
  t.is(heard, 1)
})
