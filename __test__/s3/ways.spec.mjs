// How deletes are sent: the way that a store takes, the pace that it asks for, and the size of a body.
import test from 'ava'
import { startLimitingProxy } from '../helpers/limiting-proxy.mjs'
import { Bucket, keysOf, numbered, requests, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

for (const status of [404, 307, 411, 412, 415, 405]) {
  serial(`a store that answers multi-deletes with ${status} is asked for keys one by one`, async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, template: '{i:02}', count: 20 })
    await server.faults([{ operation: 'DeleteObjects', times: 'always', status, body: '' }])
    t.like(await client.deletePrefix({ Bucket, all: true, batchSize: 10, maxTasksInExecution: 1 }), {
      deleted: 20,
      failed: 0,
    })
    t.deepEqual([await requests(server, 'DeleteObjects'), await requests(server, 'DeleteObject')], [2, 20])
    t.deepEqual(await keysOf(client), [])
  })
}

serial('a batch that is refused in every way says nothing of the store', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a', 'b', 'c'] })
  const refusal = { status: 412, code: 'PreconditionFailed', times: 'always', key: 'a' }
  await server.faults([
    { operation: 'DeleteObjects', ...refusal },
    { operation: 'DeleteObject', ...refusal },
  ])
  const del = client.deleteObjects({ Bucket })
  await t.throwsAsync(del({ task: ['a'] }), { code: 'PreconditionFailed' })
  await del({ task: ['b', 'c'] })
  t.is(await requests(server, 'DeleteObject'), 1, 'the others went together')
  t.deepEqual(await keysOf(client), ['a'])
})

serial('jobs that find out together that a store has no multi-delete lose no key', async (t) => {
  const { open, server } = t.context
  await server.configure({ noMultiDelete: 501, latencyDelete: 1 })
  for (let round = 0; round < 10; round++) {
    await server.seed({ bucket: Bucket, template: '{i%4}/{i:04}', count: 400 })
    const client = open()
    const jobs = numbered(4, (i) => client.deletePrefix({ Bucket, Prefix: `${i}/`, batchSize: 50, MaxKeys: 50 }))
    for (const counts of await Promise.all(jobs)) t.like(counts, { deleted: 100, failed: 0 })
  }
})

const throttlings = {
  'a 429 with any code': { status: 429, code: 'AccessDenied' },
  ServerBusy: { status: 400, code: 'ServerBusy' },
  QpsLimitExceeded: { status: 403, code: 'QpsLimitExceeded' },
}
for (const [name, answer] of Object.entries(throttlings)) {
  serial(`throttled is who is told so in any words: ${name}`, async (t) => {
    const { open, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a'] })
    await server.faults([
      { operation: 'DeleteObjects', times: 2, ...answer },
      { operation: 'ListObjectsV2', times: 2, ...answer },
    ])
    t.like(await open({ maxAttempts: 1 }).deletePrefix({ Bucket, all: true }), { deleted: 1, failed: 0, throttled: 4 })
  })
}

for (const code of [
  'ExceedAccountQPSLimit',
  'QpsLimitExceeded',
  'ServerBusy',
  '429',
  '503',
  'RequestThrottled',
  'RateExceeded',
]) {
  serial(`no key fails because it is throttled: ${code} inside an answer`, async (t) => {
    const { open, server } = t.context
    await server.seed({ bucket: Bucket, template: '{i:02}', count: 20 })
    await server.faults([{ operation: 'DeleteObjects', times: 2, prefix: '1', keyError: { code } }])
    t.like(await open({ maxAttempts: 1 }).deletePrefix({ Bucket, all: true }), { deleted: 20, failed: 0, throttled: 2 })
  })
}

for (const operation of ['DeleteObjects', 'ListObjectsV2']) {
  serial(`a store is left alone for as long as Retry-After says: ${operation}`, async (t) => {
    const { open, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a'] })
    for (const wait of ['2', new Date(Math.ceil(Date.now() / 1000) * 1000 + 3000).toUTCString()]) {
      await server.seed({ bucket: Bucket, keys: ['a'] })
      await server.faults([{ operation, status: 503, body: '<html>busy</html>', headers: { 'Retry-After': wait } }])
      const started = performance.now()
      t.like(await open({ maxAttempts: 1 }).deletePrefix({ Bucket, all: true }), { deleted: 1, throttled: 1 })
      const elapsed = performance.now() - started
      t.true(elapsed >= 1000, `${elapsed} ms`)
    }
  })
}

for (const [name, limits] of Object.entries({
  '1 MB': { limit: 1 << 20 },
  '300 kB': { limit: 300_000 },
  '300 kB, with a cut connection': { limit: 300_000, cut: true },
})) {
  serial(`many long keys go through a proxy that takes bodies of ${name}`, async (t) => {
    const { open, client, server } = t.context
    const proxy = await startLimitingProxy({ port: server.port, ...limits })
    try {
      const long = `${'&'.repeat(100)}${'x'.repeat(850)}`
      const keys = numbered(1500, (i) => `${String(i).padStart(5, '0')}${long}`)
      await server.seed({ bucket: Bucket, keys })
      const result = await open({ endpoint: proxy.endpoint }).deletePrefix({ Bucket, all: true, parallelListing: 1 })
      t.like(result, { deleted: 1500, failed: 0 })
      t.deepEqual(await keysOf(client), [])
      if (limits.limit === 1 << 20) t.true(proxy.bodies.every((size) => size <= 1 << 20))
    } finally {
      await proxy.stop()
    }
  })
}

serial('a proxy that takes no body at all gets no body, or the error names the option', async (t) => {
  const { open, client, server } = t.context
  const proxy = await startLimitingProxy({ port: server.port, limit: 0 })
  try {
    await server.seed({ bucket: Bucket, keys: ['a', 'b', 'c'] })
    const { endpoint } = proxy
    const error = await t.throwsAsync(open({ endpoint, deleteMode: 'checksum' }).deletePrefix({ Bucket, all: true }))
    t.regex(error.message, /batchSize/)
    t.like(await open({ endpoint }).deletePrefix({ Bucket, all: true }), { deleted: 3, failed: 0 })
    t.deepEqual(await keysOf(client), [])
  } finally {
    await proxy.stop()
  }
})
