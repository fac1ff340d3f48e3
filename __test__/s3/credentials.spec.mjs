// Credentials: values, functions, and what becomes of those that expire.
import test from 'ava'
import { Bucket, keysOf, requests, sleep, waitUntil, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

/** A source of credentials that the server takes for `life` ms, which says of their expiration what `tell` makes of it. */
function temporary(server, life, tell) {
  const source = async () => {
    const number = ++source.fetched
    const expiresAtMs = Date.now() + life
    const values = { accessKeyId: `temporary-${number}`, secretAccessKey: 'secret', sessionToken: `token ${number}` }
    await server.addCredentials({ ...values, expiresAtMs })
    return { ...values, ...tell(expiresAtMs) }
  }
  source.fetched = 0
  return source
}

const tellings = {
  'and say so': (at) => ({ expiration: new Date(at) }),
  'and say nothing': () => ({}),
  'and say something wrong': () => ({ expiration: new Date(Date.now() + 3_600_000) }),
}
for (const [name, tell] of Object.entries(tellings)) {
  serial(`credentials that expire during a run are fetched again: they expire ${name}`, async (t) => {
    const { open, server } = t.context
    await server.configure({ latencyDelete: 40, latencyList: 10 })
    await server.seed({ bucket: Bucket, template: '{i:05}', count: 6000 })
    const credentials = temporary(server, 300, tell)
    const { deleted, failed, elapsedMs } = await open({ credentials }).deletePrefix({
      Bucket,
      all: true,
      batchSize: 100,
      maxTasksInExecution: 2,
    })
    t.deepEqual([deleted, failed], [6000, 0])
    t.true(elapsedMs > 900, 'it outlived some of them')
    t.true(
      credentials.fetched >= 3 && credentials.fetched <= 3 + elapsedMs / 200,
      `${credentials.fetched} fetches in ${elapsedMs} ms`,
    )
    t.deepEqual(await keysOf(t.context.client), [])
  })
}

serial('a store that says ExpiredToken gets new ones, for listings, deletes and single deletes', async (t) => {
  const { open, server } = t.context
  for (const operation of ['ListObjectsV2', 'DeleteObjects', 'DeleteObject']) {
    for (const code of ['ExpiredToken', 'TokenRefreshRequired']) {
      await server.seed({ bucket: Bucket, keys: ['a'] })
      let fetched = 0
      const credentials = () => {
        fetched++
        return server.credentials
      }
      const client = open({ credentials, maxAttempts: 1, deleteMode: operation === 'DeleteObject' ? 'single' : 'auto' })
      await server.faults([{ operation, times: 1, status: 400, code }])
      t.like(await client.deletePrefix({ Bucket, all: true }), { deleted: 1, retries: 1 })
      t.is(fetched, 2)
    }
  }
})

serial('a store that finds all credentials expired is not asked for ever', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  let fetched = 0
  const client = open({
    credentials: async () => {
      fetched++
      return server.credentials
    },
  })
  await server.faults([{ operation: 'DeleteObjects', times: 'always', status: 400, code: 'ExpiredToken' }])
  const error = await t.throwsAsync(client.deletePrefix({ Bucket, all: true }), { code: 'ExpiredToken' })
  t.is(error.counts.deleted, 0)
  t.is(await requests(server, 'DeleteObjects'), 3)
  t.is(fetched, 3)
})

serial('values that have expired are not tried again', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  await server.faults([{ operation: 'ListObjectsV2', times: 'always', status: 400, code: 'ExpiredToken' }])
  await t.throwsAsync(keysOf(open()), { code: 'ExpiredToken' })
  t.is(await requests(server, 'ListObjectsV2'), 1)
})

const wrong = {
  accessKeyId: [{ accessKeyId: 'wrong', secretAccessKey: 'wrong' }, 'InvalidAccessKeyId'],
  secret: [{ secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
}
for (const [name, [values, code]] of Object.entries(wrong)) {
  serial(`wrong credentials are never tried again: ${name}`, async (t) => {
    const { open, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a'] })
    const client = open({ credentials: { ...server.credentials, ...values } })
    const error = await t.throwsAsync(client.deleteObjects({ Bucket })({ task: ['a'] }), { code })
    t.deepEqual(
      error.failed.map(({ Key, code: keyCode }) => [Key, keyCode]),
      [['a', code]],
    )
    await t.throwsAsync(client.deletePrefix({ Bucket, all: true }), { code })
    t.is((await server.stats()).errors[code], 2)
  })
}

serial('all requests that wait share one call of the function', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i}', count: 20 })
  let fetched = 0
  const credentials = async () => {
    fetched++
    await sleep(50)
    return server.credentials
  }
  const client = open({ credentials })
  await Promise.all(Array.from({ length: 20 }, () => keysOf(client)))
  t.is(fetched, 1)
})

const failures = {
  'that rejects': [
    async () => {
      throw new Error('no luck today')
    },
    /no luck today/,
  ],
  'that throws': [
    () => {
      throw new Error('no luck at all')
    },
    /no luck at all/,
  ],
  'that rejects with no error': [
    async () => {
      throw 'a plain text'
    },
    /a plain text/,
  ],
  'that gives nothing': [async () => undefined, /What credentials\(\) returns must be an object, but is undefined/],
  'that gives half of them': [
    async () => ({ accessKeyId: 'a' }),
    /What credentials\(\) returns\.secretAccessKey must be a string that is not empty/,
  ],
}
for (const [name, [credentials, message]] of Object.entries(failures)) {
  serial(`the message of a function comes through ${name}, and the next call asks it again`, async (t) => {
    const { open, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a'] })
    let fails = true
    const client = open({ credentials: () => (fails ? credentials() : server.credentials) })
    for (const use of [
      () => keysOf(client),
      () => client.deleteObjects({ Bucket })({ task: ['a'] }),
      () => client.deletePrefix({ Bucket, all: true }),
    ]) {
      await t.throwsAsync(use(), { code: 'CredentialsError', message })
    }
    t.is((await server.stats()).requests.total, 0)
    fails = false
    t.deepEqual(await keysOf(client), ['a'])
  })
}

serial('a function that never answers ends the job at the request timeout', async (t) => {
  const client = t.context.open({ credentials: () => new Promise(() => {}), requestTimeout: 100 })
  await t.throwsAsync(keysOf(client), { code: 'CredentialsError', message: /did not come within requestTimeout/ })
})

serial('closing a client ends those that wait for its function', async (t) => {
  const { open } = t.context
  let asked = false
  const client = open({
    credentials: () => {
      asked = true
      return new Promise(() => {})
    },
  })
  const call = client.deleteObjects({ Bucket })({ task: ['a'] })
  const listing = client.listKeys({ Bucket }).next()
  const run = client.deletePrefix({ Bucket, all: true })
  const ended = Promise.allSettled([call, listing, run])
  await waitUntil(() => asked)
  await client.close()
  const [called, listed] = await ended
  t.is(called.status, 'rejected')
  t.is(listed.reason.code, 'Closed')
})

serial('what is no time to expire at fails the job by name and value', async (t) => {
  const { open, server } = t.context
  const client = open({ credentials: () => ({ ...server.credentials, expiration: 'soon' }) })
  const message = /expiration must be a Date, or what makes one, but is 'soon'/
  await t.throwsAsync(keysOf(client), { code: 'CredentialsError', message })
})
