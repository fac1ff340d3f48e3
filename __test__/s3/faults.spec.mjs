// What a store answers amiss: what is tried again, what is reported, and what a count may claim.
import test from 'ava'
import { Bucket, keysOf, numbered, requests, sleep, versionsOf, waitUntil, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

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
    serial(`${name}, twice, is tried again: ${operation}`, async (t) => {
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

const codes = {
  'a 200 with InternalError': 'InternalError',
  'a 200 that is cut off': 'MalformedAnswer',
  'a 503': 'ServiceUnavailable',
  'a 502 without S3': 'Http502',
}
for (const [name, code] of Object.entries(codes)) {
  serial(`${name} for ever: after the last try all keys of the batch are reported with the code`, async (t) => {
    const { open, server } = t.context
    const client = open({ maxAttempts: 2 })
    await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
    await server.faults([{ operation: 'DeleteObjects', times: 'always', ...passing[name] }])
    const error = await t.throwsAsync(client.deletePrefix({ Bucket, all: true }), { code })
    t.deepEqual(
      error.failed.map(({ Key, code: keyCode }) => [Key, keyCode]),
      [
        ['a', code],
        ['b', code],
      ],
    )
    t.like(error.counts, { deleted: 0, failed: 2, retries: 1 })
    t.is(await requests(server, 'DeleteObjects'), 2, 'maxAttempts: 2 is exactly two tries')
    await server.faults([{ operation: 'ListObjectsV2', times: 'always', ...passing[name] }])
    await t.throwsAsync(keysOf(client), { code })
    t.is(await requests(server, 'ListObjectsV2'), 1 + 2)
  })
}

serial('a 200 whose answer was lost after it was carried out is a success in the end', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:04}', count: 100 })
  await server.faults([{ operation: 'DeleteObjects', times: 1, apply: true, close: true }])
  t.like(await client.deletePrefix({ Bucket, all: true }), { deleted: 100, failed: 0, retries: 1 })
})

const passingKeys = ['SlowDown', 'InternalError', 'ServiceUnavailable', 'OperationAborted', 'RequestTimeout']
for (const code of passingKeys) {
  serial(`inside a 200, keys with ${code} are tried again, and only those`, async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, template: '{i:03}', count: 100 })
    await server.faults([{ operation: 'DeleteObjects', times: 2, prefix: '01', keyError: { code } }])
    t.like(await client.deletePrefix({ Bucket, all: true, parallelListing: 1 }), {
      deleted: 100,
      failed: 0,
      retries: 2,
    })
    const { keys } = await server.stats()
    t.deepEqual([keys.deleted, keys.refused], [100, 20])
  })
}

for (const code of ['AccessDenied', 'ObjectLocked', 'SomethingNew']) {
  serial(`inside a 200, keys with ${code} are reported by name at once`, async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a', 'b', 'c & d', '"<e>\''] })
    await server.faults([
      { operation: 'DeleteObjects', times: 'always', prefix: 'c', keyError: { code, message: 'no' } },
    ])
    const failed = []
    const result = await client.deletePrefix({
      Bucket,
      all: true,
      onTaskError: (error, { task }) => failed.push([error.code, task]),
    })
    t.deepEqual(failed, [[code, ['c & d']]])
    t.like(result, { deleted: 3, failed: 1, retries: 0 })
    t.deepEqual(await keysOf(client), ['c & d'])
  })
}

serial(
  'an answer that names a key which was not asked for claims no success: each key is asked for alone',
  async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
    const body = '<DeleteResult><Error><Key>other</Key><Code>AccessDenied</Code></Error></DeleteResult>'
    await server.faults([
      { operation: 'DeleteObjects', times: 'always', body },
      { operation: 'DeleteObject', key: 'b', times: 'always', status: 403, code: 'AccessDenied' },
    ])
    const error = await t.throwsAsync(client.deletePrefix({ Bucket, all: true }))
    t.like(error.counts, { deleted: 1, failed: 1 })
    t.deepEqual(await keysOf(client), ['b'])
  },
)

serial('success is what Errors does not name: a store that ignores Quiet, and one that answers nothing', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
  await server.configure({ ignoreQuiet: true })
  const del = client.deleteObjects({ Bucket })
  await del({ task: ['a'] })
  await del({ task: ['b'] })
  t.deepEqual(await keysOf(client), [])
  await server.faults([{ operation: 'DeleteObjects', apply: true, body: '<?xml version="1.0"?>\n<DeleteResult/>' }])
  await del({ task: ['a'] })
  t.pass()
})

serial('connections that the store closed are replaced unseen', async (t) => {
  const { open, server } = t.context
  await server.configure({ idleTimeout: 50 })
  await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
  const client = open({ maxAttempts: 2 })
  const del = client.deleteObjects({ Bucket })
  for (const key of ['a', 'b']) {
    t.true((await keysOf(client)).includes(key))
    await sleep(150)
    await del({ task: [key] })
    await sleep(150)
  }
  t.deepEqual(await keysOf(client), [])
})

for (const [operation, use] of [
  ['DeleteObjects', (client) => client.deleteObjects({ Bucket })({ task: ['a'] })],
  ['ListObjectsV2', (client) => keysOf(client)],
  ['DeleteObject', (client) => client.deleteObjects({ Bucket })({ task: ['\u0001'] })],
]) {
  serial(`a store that is silent ends at the request timeout: ${operation}`, async (t) => {
    const { open, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a', '\u0001'] })
    await server.faults([{ operation, times: 'always', never: true }])
    const started = performance.now()
    await t.throwsAsync(use(open({ requestTimeout: 300, maxAttempts: 2 })), { code: 'RequestTimeout' })
    const elapsed = performance.now() - started
    t.true(elapsed >= 600 && elapsed < 3000, `${elapsed} ms`)
    t.is(await requests(server, operation), 2)
  })
}

const lies = { 'no-token': /where the next page begins/, 'same-token': /where this one did/ }
for (const [listing, message] of Object.entries(lies)) {
  for (const operation of ['ListObjectsV2', 'ListObjectVersions']) {
    serial(`a listing that lies is an error: ${listing}, ${operation}`, async (t) => {
      const { client, server } = t.context
      await server.seed({ bucket: Bucket, template: '{i:04}', count: 25 })
      await server.faults([{ operation, nth: 2, times: 'always', listing }])
      const list = operation === 'ListObjectsV2' ? client.listKeys : client.listObjectVersions
      const read = async () => {
        for await (const page of list.call(client, { Bucket, MaxKeys: 10, parallelListing: 1 }))
          t.true(page.task.length > 0)
      }
      const error = await t.throwsAsync(read())
      t.is(error.code, 'InvalidListing')
      t.regex(error.message, message)
    })
  }
}

/** A token that the server understands: after this key. */
const token = (key) => Buffer.from(`k${key}`).toString('base64url')
const emptyPage = (next) => ({
  operation: 'ListObjectsV2',
  body: `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${token(next)}</NextContinuationToken></ListBucketResult>`,
})
const emptyVersions = (next) => ({
  operation: 'ListObjectVersions',
  body: `<ListVersionsResult><IsTruncated>true</IsTruncated><NextKeyMarker>${next}</NextKeyMarker></ListVersionsResult>`,
})
serial('empty pages with a token go on', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: 'k{i:04}', count: 25 })
  await server.faults([{ operation: 'ListObjectsV2', listing: 'empty-page' }])
  t.is((await keysOf(client, { MaxKeys: 10 })).length, 25)
  const last = '<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>z</Key></Contents></ListBucketResult>'
  await server.faults([
    emptyPage('one'),
    emptyPage('two'),
    emptyPage('three'),
    { operation: 'ListObjectsV2', body: last },
  ])
  t.deepEqual(await keysOf(client), ['z'])
  await server.faults([emptyVersions('a'), emptyVersions('b'), emptyVersions('c')])
  t.is((await versionsOf(client, { MaxKeys: 10 })).length, 25)
})

for (const length of [2, 3, 7]) {
  serial(`a listing that goes in a circle of ${length} pages is found out`, async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a'] })
    await server.faults(numbered(100, (i) => emptyPage(`page ${i % length}`)))
    const error = await t.throwsAsync(keysOf(client), { code: 'InvalidListing' })
    t.regex(error.message, /begins where one before did/)
    t.true((await requests(server, 'ListObjectsV2')) <= 4 * length)
  })
}

const compatible = {
  'wants Content-MD5': [{ requireContentMd5: true }, { DeleteObjects: 4 }],
  'wants a checksum': [{ requireChecksum: true }, { DeleteObjects: 3 }],
  'refuses checksums': [{ refuseChecksums: true }, { DeleteObjects: 4 }],
  'has no multi-delete (501)': [{ noMultiDelete: 501 }, { DeleteObjects: 2, DeleteObject: 30 }],
  'has no multi-delete (400)': [{ noMultiDelete: 400 }, { DeleteObjects: 2, DeleteObject: 30 }],
}
for (const [name, [settings, requests]] of Object.entries(compatible)) {
  serial(`a store that ${name} is found out once`, async (t) => {
    const { client, server } = t.context
    await server.configure(settings)
    await server.seed({ bucket: Bucket, template: '{i:02}', count: 30 })
    const del = client.deleteObjects({ Bucket })
    for (let i = 0; i < 30; i += 10)
      await del({ task: Array.from({ length: 10 }, (_, j) => String(i + j).padStart(2, '0')) })
    const { byOperation } = (await server.stats()).requests
    t.like(byOperation, requests)
    t.deepEqual(await keysOf(client), [])
  })
}

serial('with a fixed way that the store refuses, the error names the option', async (t) => {
  const { open, server } = t.context
  await server.configure({ noMultiDelete: 501 })
  await server.seed({ bucket: Bucket, keys: ['a'] })
  const error = await t.throwsAsync(open({ deleteMode: 'checksum' }).deleteObjects({ Bucket })({ task: ['a'] }))
  t.regex(error.message, /deleteMode: 'single'/)
})

for (const [name, settings] of Object.entries({
  'Content-MD5': { requireContentMd5: true },
  'no multi-delete': { noMultiDelete: 400 },
})) {
  serial(`requests that are in flight together when the store refuses them lose no key: ${name}`, async (t) => {
    const { client, server } = t.context
    await server.configure({ ...settings, latencyDelete: 10 })
    await server.seed({ bucket: Bucket, template: '{i:05}', count: 1000 })
    const result = await client.deletePrefix({
      Bucket,
      all: true,
      batchSize: 50,
      maxTasksInExecution: 8,
      MaxKeys: 500,
    })
    t.like(result, { deleted: 1000, failed: 0 })
    const { errors } = await server.stats()
    const refused = Object.values(errors).reduce((sum, count) => sum + count, 0)
    t.true(refused <= 2 * 8, `${refused} refused requests`)
  })
}

serial('that keys go one by one is reported once', async (t) => {
  const { open, server } = t.context
  await server.configure({ noMultiDelete: 501 })
  const warnings = []
  const listener = (warning) => warnings.push(warning)
  process.on('warning', listener)
  const client = open()
  const told = open({ deleteMode: 'single' })
  for (let i = 0; i < 3; i++) {
    await server.seed({ bucket: Bucket, template: '{i}', count: 10 })
    await client.deleteObjects({ Bucket })({ task: ['0', '1'] })
    await client.deletePrefix({ Bucket, all: true })
    await told.deletePrefix({ Bucket, all: true })
  }
  await sleep(10)
  process.off('warning', listener)
  t.is(warnings.length, 1)
  t.is(warnings[0].name, 'S3BulkWarning')
  t.regex(warnings[0].message, /one by one.*deleteMode: 'single'/)
})

serial(
  'a refusal of the keys is not taken for one of the way once a way has worked, and no key fails for another',
  async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a', 'b', 'c', 'd'] })
    const del = client.deleteObjects({ Bucket })
    await del({ task: ['a'] })
    await server.faults([{ operation: 'DeleteObjects', times: 1, status: 400, code: 'InvalidRequest' }])
    await del({ task: ['b', 'c'] })
    t.is(await requests(server, 'DeleteObject'), 2)
    await del({ task: ['d'] })
    t.is(await requests(server, 'DeleteObject'), 2)
  },
)

for (const [name, fault] of Object.entries({
  throttled: { status: 503, code: 'SlowDown' },
  failing: { status: 500, code: 'InternalError' },
})) {
  for (const operation of ['ListObjectsV2', 'DeleteObjects']) {
    serial(`an abort does not wait for tries to come: ${name}, ${operation}`, async (t) => {
      const { open, server } = t.context
      const client = open({ maxAttempts: 100 })
      await server.seed({ bucket: Bucket, keys: ['a'] })
      await server.faults([{ operation, times: 'always', ...fault }])
      const controller = new AbortController()
      const run = client.deletePrefix({ Bucket, all: true, signal: controller.signal })
      const ended = t.throwsAsync(run, { name: 'AbortError' })
      await waitUntil(async () => (await requests(server, operation)) >= 4)
      const aborted = performance.now()
      controller.abort()
      const { counts } = await ended
      t.true(performance.now() - aborted < 500)
      t.is(counts.deleted, 0)
    })
  }
}
