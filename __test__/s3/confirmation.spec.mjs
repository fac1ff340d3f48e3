// What a delete may touch, and what its answer proves.
import test from 'ava'
import { SynchronizerProvider } from 'ya-syn-native'
import { Bucket, keysOf, requests, versionsOf, withStore } from './store.mjs'

withStore(test)
const serial = test.serial
const sp = new SynchronizerProvider()

const entry = (key) => `<Contents>${key === undefined ? '' : `<Key>${key}</Key>`}<Size>1</Size></Contents>`
const page = (...keys) =>
  `<ListBucketResult><IsTruncated>false</IsTruncated>${keys.map(entry).join('')}</ListBucketResult>`
const version = (key, id) => `<Version><Key>${key}</Key>${id}<Size>1</Size></Version>`

/** What the server was asked to delete, of any kind. */
async function deletes(server) {
  const { byOperation } = (await server.stats()).requests
  return Object.keys(byOperation).filter((name) => name.startsWith('Delete'))
}

for (const deleteMode of ['auto', 'single']) {
  for (const [name, keys] of [
    ['without a key', ['a', undefined, 'b']],
    ['with an empty key', ['a', '', 'b']],
  ]) {
    serial(
      `a listing that has an entry ${name} never becomes a request without a key (deleteMode: '${deleteMode}')`,
      async (t) => {
        const { open, client, server } = t.context
        await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
        await server.faults([{ operation: 'ListObjectsV2', body: page(...keys) }])
        await t.throwsAsync(open({ deleteMode }).deletePrefix({ Bucket, all: true, maxTasksInExecution: 1 }), {
          code: 'InvalidListing',
        })
        t.false((await deletes(server)).includes('DeleteBucket'))
        t.true((await keysOf(client)).includes('b'), 'the bucket is there')
      },
    )
  }

  serial(
    `a key outside of the prefix is not deleted, whatever a store lists (deleteMode: '${deleteMode}')`,
    async (t) => {
      const { open, client, server } = t.context
      const keys = ['other/a', 'tmp/a']
      const inner = open({ deleteMode })
      for (const run of [
        () => inner.deletePrefix({ Bucket, Prefix: 'tmp/', maxTasksInExecution: 1 }),
        () =>
          sp.executeTasks({
            maxTasksInFlight: 2,
            taskSource: inner.listKeys({ Bucket, Prefix: 'tmp/' }),
            taskExecutor: inner.deleteObjects({ Bucket, maxTasksInExecution: 1 }),
          }),
      ]) {
        await server.seed({ bucket: Bucket, keys })
        await server.faults([{ operation: 'ListObjectsV2', body: page('other/a', 'tmp/a') }])
        await t.throwsAsync(run(), { code: 'InvalidListing' })
        t.true((await keysOf(client)).includes('other/a'))
      }
    },
  )
}

for (const [name, id] of [
  ['no', ''],
  ['an empty', '<VersionId></VersionId>'],
]) {
  serial(`a version is never deleted without its id: ${name} VersionId in a listing`, async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a'], versioning: 'Enabled' })
    await server.faults([
      { operation: 'ListObjectVersions', body: `<ListVersionsResult>${version('a', id)}</ListVersionsResult>` },
    ])
    await t.throwsAsync(client.deletePrefix({ Bucket, all: true, versions: true }), { code: 'InvalidListing' })
    t.deepEqual([await deletes(server), (await versionsOf(client)).length], [[], 1])
  })
}

const named = (...keys) =>
  `<DeleteResult>${keys.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join('')}</DeleteResult>`

serial('keys that an answer does not name are asked for one by one', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['b', 'c'] })
  await server.faults([{ operation: 'DeleteObjects', body: named('a') }])
  await client.deleteObjects({ Bucket })({ task: ['a', 'b', 'c'] })
  t.deepEqual(await keysOf(client), [])
  t.is(await requests(server, 'DeleteObject'), 2)
})

serial('keys that a store answers for with success, but never confirms, fail with a code', async (t) => {
  const { open, client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
  const html = '<html><body>please log in</body></html>'
  await server.faults([
    { operation: 'DeleteObjects', times: 'always', body: named() },
    { operation: 'DeleteObject', times: 'always', body: html },
  ])
  const error = await t.throwsAsync(open({ maxAttempts: 2 }).deletePrefix({ Bucket, all: true }), {
    code: 'NotConfirmed',
  })
  t.deepEqual(error.failed.map(({ Key, code, message }) => [Key, code, message !== '']).sort(), [
    ['a', 'NotConfirmed', true],
    ['b', 'NotConfirmed', true],
  ])
  t.like(error.counts, { deleted: 0, failed: 2 })
  t.deepEqual(await keysOf(client), ['a', 'b'])
})

for (const body of [
  '<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>',
  '<html><body>Deleted</body></html>',
]) {
  serial(`another document is no proof: ${body.slice(0, 18)}`, async (t) => {
    const { open, client, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a'] })
    await server.faults([{ operation: 'DeleteObjects', times: 'always', body }])
    await t.throwsAsync(open({ maxAttempts: 2 }).deleteObjects({ Bucket })({ task: ['a'] }))
    t.deepEqual(await keysOf(client), ['a'])
  })
}

serial('a store that deletes and answers with nothing, or under another name, is understood', async (t) => {
  const { open, client, server } = t.context
  for (const [body, count] of [
    ['', 30],
    [named('a', 'b').replaceAll('DeleteResult', 'DeleteObjectsResult'), 2],
  ]) {
    await server.reset()
    const keys = count === 2 ? { keys: ['a', 'b'] } : { template: '{i:02}', count }
    await server.seed({ bucket: Bucket, ...keys })
    await server.faults([{ operation: 'DeleteObjects', times: 'always', apply: true, body }])
    t.like(await open().deletePrefix({ Bucket, all: true, batchSize: 10 }), { deleted: count, failed: 0 })
    t.deepEqual(await keysOf(client), [])
  }
})

serial('an empty answer to a quiet request is asked about once, and the store is asked quietly no more', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a', 'b', 'c'] })
  const del = client.deleteObjects({ Bucket })
  await del({ task: ['a'] })
  await server.faults([{ operation: 'DeleteObjects', apply: true, body: '' }])
  await del({ task: ['b'] })
  await del({ task: ['c'] })
  t.deepEqual([await requests(server, 'DeleteObjects'), await requests(server, 'DeleteObject')], [4, 0])
  t.deepEqual(await keysOf(client), [])
})

serial('what is not there any more is deleted, inside an answer and alone', async (t) => {
  const { open, client, server } = t.context
  for (const code of ['NoSuchKey', 'NoSuchVersion']) {
    await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
    await server.faults([{ operation: 'DeleteObjects', key: 'a', keyError: { code } }])
    await client.deleteObjects({ Bucket })({ task: ['a', 'b'] })
  }
  for (const answer of [
    { status: 404, body: '' },
    { status: 410, body: '' },
    { status: 404, code: 'NoSuchKey' },
    { status: 410, code: 'NoSuchVersion' },
  ]) {
    await server.seed({ bucket: Bucket, keys: ['a'] })
    await server.faults([
      { operation: 'DeleteObject', apply: true, close: true },
      { operation: 'DeleteObject', ...answer },
    ])
    t.like(
      await open({ deleteMode: 'single' }).deletePrefix({ Bucket, all: true }),
      { deleted: 1, failed: 0 },
      JSON.stringify(answer),
    )
  }
})

serial('an answer that finds nothing is no success where the bucket is missing, or can not be seen', async (t) => {
  const { open, server } = t.context
  const single = () => open({ deleteMode: 'single', maxAttempts: 2 })
  const nothing = { operation: 'DeleteObject', times: 'always', status: 404, body: '' }
  await server.faults([nothing])
  await t.throwsAsync(single().deleteObjects({ Bucket: 'not-there' })({ task: ['a'] }), { code: 'NoSuchBucket' })
  await server.seed({ bucket: Bucket, keys: ['a'] })
  await server.faults([nothing, { operation: 'ListObjectsV2', times: 'always', status: 403, code: 'AccessDenied' }])
  const error = await t.throwsAsync(single().deleteObjects({ Bucket })({ task: ['a'] }))
  t.is(error.failed.length, 1)
  t.regex(error.failed[0].message, /AccessDenied/)
})

serial('a key that is refused without a code or a reason has both, and the bucket is named', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
  const body =
    '<DeleteResult><Deleted><Key>a</Key></Deleted><Error><Key>b</Key></Error><Error><Key/><Code>Odd</Code></Error></DeleteResult>'
  await server.faults([{ operation: 'DeleteObjects', times: 'always', body }])
  const error = await t.throwsAsync(open({ maxAttempts: 1 }).deleteObjects({ Bucket })({ task: ['a', 'b'] }), {
    code: 'UnknownError',
  })
  t.is(error.deleted, 1)
  t.not(error.failed[0].message, '')
  t.regex(error.message, /bucket "bucket"/)
})
