// What a store answers amiss: what is tried again, what is reported, and what a count may claim.
import test from 'ava'
import { Bucket, keysOf, withStore } from './store.mjs'

withStore(test)
const serial = test.serial
const fast = { requestTimeout: 400 }

const passing = {
  'a 200 with SlowDown': { status: 200, code: 'SlowDown' },
  'a 200 with InternalError': { status: 200, code: 'InternalError' },
  'a 200 that is cut off': { truncate: 60 },
  'a 503': { status: 503, code: 'ServiceUnavailable' },
  'a 502 without S3': { status: 502, body: '<html>bad gateway</html>' },
  'a socket that closes': { close: true },
  'a body that breaks off': { cut: 30 },
}
for (const [name, fault] of Object.entries(passing)) {
  for (const operation of ['DeleteObjects', 'ListObjectsV2']) {
    serial(`S05: ${name}, twice, is tried again: ${operation}`, async (t) => {
      const { client, server } = t.context
      await server.seed({ bucket: Bucket, template: 'k/{i:04}', count: 100 })
      await server.faults([{ operation, times: 2, ...fault }])
      const result = await client.deletePrefix({ Bucket, Prefix: 'k/' })
      t.is(result.deleted, 100)
      t.is(result.retries, 2)
      t.deepEqual(await keysOf(client), [])
    })
  }
}

serial('S05: after the last try all keys of the batch are reported with the code', async (t) => {
  const { open, server } = t.context
  const client = open({ maxAttempts: 2 })
  await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
  await server.faults([{ operation: 'DeleteObjects', times: 'always', status: 200, code: 'InternalError' }])
  const error = await t.throwsAsync(client.deletePrefix({ Bucket, all: true }))
  t.deepEqual(error.failed.map(({ Key, code }) => [Key, code]), [['a', 'InternalError'], ['b', 'InternalError']])
  t.is(error.counts.deleted, 0)
  t.is((await server.stats()).requests.byOperation.DeleteObjects, 2, 'maxAttempts: 2 is exactly two tries')
})

serial('throttled tries do not count against maxAttempts', async (t) => {
  const { open, server } = t.context
  const client = open({ maxAttempts: 1 })
  await server.seed({ bucket: Bucket, keys: ['a'] })
  await server.faults([{ operation: 'DeleteObjects', times: 4, status: 503, code: 'SlowDown' }])
  const { deleted, throttled } = await client.deletePrefix({ Bucket, all: true })
  t.deepEqual([deleted, throttled], [1, 4])
})

serial('throttling without end is given up after throttleTimeout', async (t) => {
  const { open, server } = t.context
  const client = open({ throttleTimeout: 300 })
  await server.seed({ bucket: Bucket, keys: ['a'] })
  await server.faults([{ operation: 'DeleteObjects', times: 'always', status: 503, code: 'SlowDown' }])
  const error = await t.throwsAsync(client.deletePrefix({ Bucket, all: true }))
  t.deepEqual([error.code, error.counts.failed], ['SlowDown', 1])
})

serial('inside a 200, passing keys are tried again alone and refused ones reported by name', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a', 'b', 'c & d'] })
  await server.faults([
    { operation: 'DeleteObjects', times: 'always', key: 'c & d', keyError: { code: 'AccessDenied', message: 'no' } },
    { operation: 'DeleteObjects', times: 2, key: 'b', keyError: { code: 'InternalError' } },
  ])
  const stayed = []
  const result = await client.deletePrefix({ Bucket, all: true, onTaskError: (e, { task }) => stayed.push([e.code, task]) })
  t.deepEqual(stayed, [['AccessDenied', ['c & d']]])
  t.deepEqual([result.deleted, result.failed], [2, 1])
  t.deepEqual(await keysOf(client), ['c & d'])
})

serial('S16: a connection that the store closed is replaced unseen, and one that is silent ends at the timeout', async (t) => {
  const { open, server } = t.context
  await server.configure({ idleTimeout: 50 })
  await server.seed({ bucket: Bucket, keys: ['a'] })
  const client = open({ ...fast, maxAttempts: 2 })
  await keysOf(client)
  await new Promise((resolve) => setTimeout(resolve, 150))
  await client.deleteObjects({ Bucket })({ task: ['a'] })
  await server.faults([{ operation: 'DeleteObjects', times: 'always', never: true }])
  const started = performance.now()
  const error = await t.throwsAsync(client.deleteObjects({ Bucket })({ task: ['a'] }))
  t.is(error.failed[0].code, 'RequestTimeout')
  t.true(performance.now() - started < 10 * 400)
})

const lies = { 'no-token': /where it begins/, 'same-token': /where this one did/ }
for (const [listing, message] of Object.entries(lies)) {
  for (const operation of ['ListObjectsV2', 'ListObjectVersions']) {
    serial(`a listing that lies is an error: ${listing}, ${operation}`, async (t) => {
      const { client, server } = t.context
      await server.seed({ bucket: Bucket, template: '{i:04}', count: 25 })
      await server.faults([{ operation, nth: 2, times: 'always', listing }])
      const list = operation === 'ListObjectsV2' ? client.listKeys : client.listObjectVersions
      const read = async () => {
        for await (const page of list.call(client, { Bucket, MaxKeys: 10, parallelListing: 1 })) t.true(page.task.length > 0)
      }
      const error = await t.throwsAsync(read())
      t.is(error.code, 'InvalidListing')
      t.regex(error.message, message)
    })
  }
}

serial('empty pages with a token go on', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:04}', count: 25 })
  await server.faults([{ operation: 'ListObjectsV2', nth: 2, times: 2, listing: 'empty-page' }])
  t.is((await keysOf(client, { MaxKeys: 10 })).length, 25)
})

const compatible = {
  'wants Content-MD5': [{ requireContentMd5: true }, { DeleteObjects: 4 }],
  'wants a checksum': [{ requireChecksum: true }, { DeleteObjects: 3 }],
  'refuses checksums': [{ refuseChecksums: true }, { DeleteObjects: 4 }],
  'has no multi-delete (501)': [{ noMultiDelete: 501 }, { DeleteObjects: 2, DeleteObject: 30 }],
  'has no multi-delete (400)': [{ noMultiDelete: 400 }, { DeleteObjects: 2, DeleteObject: 30 }],
}
for (const [name, [settings, requests]] of Object.entries(compatible)) {
  serial(`S07, S08: a store that ${name} is found out once`, async (t) => {
    const { client, server } = t.context
    await server.configure(settings)
    await server.seed({ bucket: Bucket, template: '{i:02}', count: 30 })
    const del = client.deleteObjects({ Bucket })
    for (let i = 0; i < 30; i += 10) await del({ task: Array.from({ length: 10 }, (_, j) => String(i + j).padStart(2, '0')) })
    const { byOperation } = (await server.stats()).requests
    t.like(byOperation, requests)
    t.deepEqual(await keysOf(client), [])
  })
}

serial('S08: with a fixed way that the store refuses, the error names the option', async (t) => {
  const { open, server } = t.context
  await server.configure({ noMultiDelete: 501 })
  await server.seed({ bucket: Bucket, keys: ['a'] })
  const error = await t.throwsAsync(open({ deleteMode: 'checksum' }).deleteObjects({ Bucket })({ task: ['a'] }))
  t.regex(error.message, /deleteMode: 'single'/)
})

serial('S15: credentials that expire are fetched again, also when they say nothing or something wrong of it', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 3000 })
  for (const expiration of [undefined, new Date(Date.now() + 3_600_000)]) {
    let fetched = 0
    const credentials = async () => ({ ...server.credentials, expiration, number: ++fetched })
    const client = open({ credentials })
    await server.faults([{ operation: 'DeleteObjects', nth: 2, times: 1, status: 400, code: 'ExpiredToken' }])
    const { deleted, failed } = await client.deletePrefix({ Bucket, all: true, maxTasksInExecution: 1 })
    t.deepEqual([deleted, failed, fetched], [3000, 0, 2])
    await server.seed({ bucket: Bucket, template: '{i:05}', count: 3000 })
  }
})

serial('the message of a credentials function that rejects comes through', async (t) => {
  const { open } = t.context
  const client = open({ credentials: async () => { throw new Error('no luck today') } })
  const error = await t.throwsAsync(client.deletePrefix({ Bucket, all: true }))
  t.regex(error.message, /no luck today/)
})

serial('wrong credentials are not tried again', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  const client = open({ credentials: { accessKeyId: 'wrong', secretAccessKey: 'wrong' } })
  const error = await t.throwsAsync(client.deleteObjects({ Bucket })({ task: ['a'] }))
  t.is(error.code ?? error.failed[0].code, 'InvalidAccessKeyId')
})
