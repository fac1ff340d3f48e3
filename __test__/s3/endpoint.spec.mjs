// Endpoints with paths, ports and hosts of all kinds, and clocks that differ: on a server that checks signatures.
import test from 'ava'
import { S3BulkClient } from 'ya-syn-native/s3'
import { configured } from './configured.mjs'
import { Bucket, keysOf, requests, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

for (const [slash, end] of [
  ['', 'without a slash'],
  ['/', 'with a slash'],
  ['//', 'with two slashes'],
]) {
  serial(`an endpoint with a path asks below that path, signed as it is sent: ${end} at its end`, async (t) => {
    const { open, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a', 'b c', 'ü/+%'] })
    await server.configure({ pathPrefix: '/storage/v1/s3' })
    for (const deleteMode of ['auto', 'single']) {
      const client = open({ endpoint: `${server.endpoint}/storage/v1/s3${slash}`, deleteMode })
      t.is((await keysOf(client)).length, deleteMode === 'auto' ? 3 : 2)
      if (deleteMode === 'auto') await client.deleteObjects({ Bucket })({ task: ['a'] })
      else t.like(await client.deletePrefix({ Bucket, all: true }), { deleted: 2, failed: 0 })
    }
    t.deepEqual((await server.stats()).errors, {})
  })
}

serial('hosts may be in capitals, and names instead of numbers', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  for (const endpoint of [`HTTP://LOCALHOST:${server.port}`, `http://localhost:${server.port}/`]) {
    t.deepEqual(await keysOf(open({ endpoint })), ['a'])
  }
})

const refused = {
  'a query': ['http://h/?a=b', /without a query and a fragment/],
  'an empty query': ['http://h/p?', /without a query/],
  'a fragment': ['http://h/#part', /fragment/],
  'a user': ['http://user:hush@h/', /without a user and a password/],
}
for (const [name, [endpoint, message]] of Object.entries(refused)) {
  test(`the constructor refuses an endpoint with ${name}, and shows no password`, (t) => {
    for (const given of [endpoint, new URL(endpoint)].slice(0, name === 'an empty query' ? 1 : 2)) {
      const error = t.throws(() => new S3BulkClient({ endpoint: given }), { code: 'Invalid', message })
      t.notRegex(error.message, /hush/)
    }
  })

  test(`an endpoint with ${name} is refused wherever it was said, by the name of the place`, async (t) => {
    const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'r' }
    const places = [
      [{ env: { AWS_ENDPOINT_URL: endpoint } }, /AWS_ENDPOINT_URL must be/],
      [{ env: { AWS_ENDPOINT_URL_S3: endpoint } }, /AWS_ENDPOINT_URL_S3 must be/],
      [{ config: `[default]\nendpoint_url = ${endpoint}\n` }, /endpoint_url of the profile "default" must be/],
      [
        { config: `[default]\nservices = mine\n[services mine]\ns3 =\n  endpoint_url = ${endpoint}\n` },
        /endpoint_url of s3 in the services section "mine" must be/,
      ],
    ]
    for (const [{ env, config }, place] of places) {
      const got = await configured(t, { env: { ...keys, ...env }, config })
      // A profile's file takes a blank and # for a comment, but not without the blank.
      t.is(got.code, 'InvalidConfig', got.message)
      t.regex(got.message, place)
      t.regex(got.message, message)
      t.notRegex(got.message, /hush/)
    }
  })
}

for (const hours of [-1, 1]) {
  serial(
    `a clock that is an hour ${hours > 0 ? 'behind' : 'ahead'} is corrected once by the Date of the answer, for that client`,
    async (t) => {
      const { open, server } = t.context
      await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
      await server.configure({ clockSkew: hours * 3_600_000 })
      const client = open()
      t.deepEqual(await keysOf(client), ['a', 'b'])
      t.is((await server.stats()).errors.RequestTimeTooSkewed, 1)
      const { requests: sent, retries, deleted } = await client.deletePrefix({ Bucket, all: true, parallelListing: 1 })
      t.deepEqual([deleted, retries, sent], [2, 0, 2])
      t.is((await server.stats()).errors.RequestTimeTooSkewed, 1, 'all later requests are right')
    },
  )
}

serial('clocks that differ although they were corrected are an error that says so', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  await server.faults([
    { operation: 'ListObjectsV2', times: 'always', status: 403, code: 'RequestTimeTooSkewed', message: 'too large' },
  ])
  const error = await t.throwsAsync(keysOf(open()), {
    code: 'RequestTimeTooSkewed',
    message: /clock of this machine differs.*too large.*bucket/,
  })
  t.is(error.status, 403)
  t.is(await requests(server, 'ListObjectsV2'), 2)
})
