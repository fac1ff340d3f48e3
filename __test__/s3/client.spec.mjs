// Making a client, and closing it.
import { createRequire } from 'node:module'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test from 'ava'
import { SynchronizerProvider } from 'ya-syn-native'
import * as face from 'ya-syn-native/s3'
import { Bucket, clientConfig, keysOf, numbered, requests, sleep, waitUntil, withStore } from './store.mjs'

const { S3BulkClient, S3BulkError, S3DeleteError, S3AbortError } = face

withStore(test)
const serial = test.serial

test('import and require give one identity, and all errors are one family', (t) => {
  const required = createRequire(import.meta.url)('ya-syn-native/s3')
  t.deepEqual(
    Object.keys(face)
      .filter((name) => name !== 'default')
      .sort(),
    ['S3AbortError', 'S3BulkClient', 'S3BulkError', 'S3DeleteError'],
  )
  for (const name of Object.keys(required)) t.is(required[name], face[name])
  for (const ErrorClass of [S3DeleteError, S3AbortError]) t.true(ErrorClass.prototype instanceof S3BulkError)
  t.true(S3BulkError.prototype instanceof Error)
  t.deepEqual(
    [S3BulkError, S3DeleteError, S3AbortError].map(({ prototype }) => prototype.name),
    ['S3BulkError', 'S3DeleteError', 'AbortError'],
  )
})

const refused = {
  'a config that is no object': [5, /config must be an object, but is 5/],
  'a config that is a list': [[], /config must be an object, but is \[\]/],
  'a request handler that is no object': [{ requestHandler: 5 }, /requestHandler must be an object, but is 5/],
  'an option it does not know': [
    { forcepathstyle: true },
    /forcepathstyle must be left out: S3BulkClient knows .*forcePathStyle.*, but is true/,
  ],
  'an endpoint that is no URL': [
    { endpoint: 'localhost:9000' },
    /endpoint must be a URL such as .*but is 'localhost:9000'/,
  ],
  'an endpoint of another scheme': [{ endpoint: 'ftp://store' }, /endpoint/],
  'a region that is no string': [{ region: 5 }, /region must be a string, or left out, but is 5/],
  'an empty region': [{ region: '' }, /region must be a string that is not empty, or left out, but is ''/],
  'a flag that is no boolean': [
    { forcePathStyle: 'yes' },
    /forcePathStyle must be a boolean, or left out, but is 'yes'/,
  ],
  'no attempts': [{ maxAttempts: 0 }, /maxAttempts must be an integer from 1 to 1000, but is 0/],
  'half an attempt': [{ maxAttempts: 1.5 }, /maxAttempts/],
  'a negative time': [{ requestTimeout: -1 }, /requestTimeout must be milliseconds, 0 or more, but is -1/],
  'no time': [{ connectionTimeout: NaN }, /connectionTimeout/],
  'a negative time in the place of the SDK': [{ requestHandler: { requestTimeout: -5 } }, /requestTimeout .*-5/],
  'an unknown mode': [{ deleteMode: 'many' }, /deleteMode must be 'auto', 'checksum', 'md5', 'single', but is 'many'/],
  'credentials without a secret': [
    { credentials: { accessKeyId: 'a' } },
    /credentials\.secretAccessKey must be a string that is not empty/,
  ],
  'an empty key id': [
    { credentials: { accessKeyId: '' } },
    /accessKeyId must be a string that is not empty, but is a value of type string that is empty/,
  ],
  'a session token that is no string': [
    { credentials: { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 5 } },
    /credentials\.sessionToken must be a string, or left out, but is a value of type number/,
  ],
  'an end of credentials that is no date': [
    { credentials: { accessKeyId: 'a', secretAccessKey: 'b', expiration: 'soon' } },
    /credentials\.expiration must be a Date, or what makes one, but is 'soon'/,
  ],
  'credentials that are text': [{ credentials: 'a:b' }, /credentials must be an object/],
}
for (const [name, [config, message]] of Object.entries(refused)) {
  test(`a client refuses ${name}, by name and value`, (t) => {
    t.throws(() => new S3BulkClient(config), { code: 'Invalid', message })
  })
}

test('a refused secret is not shown', (t) => {
  const { message } = t.throws(() => new S3BulkClient({ credentials: { accessKeyId: 'a', secretAccessKey: ['hush'] } }))
  t.notRegex(message, /hush/)
})

serial('undefined and null options are left out', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  const nothing = {
    profile: undefined,
    maxAttempts: null,
    requestTimeout: undefined,
    deleteMode: null,
    useFipsEndpoint: undefined,
  }
  const client = open(nothing)
  t.deepEqual(await keysOf(client, { StartAfter: null, MaxKeys: undefined, filter: null, signal: null }), ['a'])
  await client.deletePrefix({
    Bucket,
    all: true,
    versions: null,
    dryRun: undefined,
    batchSize: null,
    maxTasksInExecution: undefined,
    limitPerKey: null,
    signal: undefined,
  })
  t.deepEqual(await keysOf(client), [])
})

serial('the endpoint may be a URL, and the times stand where the JavaScript SDK has them', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  await server.faults([{ operation: 'ListObjectsV2', never: true, times: 'always' }])
  const client = open({ endpoint: new URL(server.endpoint), maxAttempts: 1, requestHandler: { requestTimeout: 100 } })
  await t.throwsAsync(keysOf(client), { code: 'RequestTimeout' })
})

serial('times of 0 and of more than can be told are no bounds', async (t) => {
  const { open, server } = t.context
  await server.configure({ latencyList: 50 })
  await server.seed({ bucket: Bucket, keys: ['a'] })
  for (const time of [0, Infinity, Number.MAX_VALUE, 2 ** 40]) {
    t.deepEqual(await keysOf(open({ requestTimeout: time, connectionTimeout: time, throttleTimeout: time })), ['a'])
  }
})

serial('what no store answers to is an error that says so', async (t) => {
  const client = t.context.open({ endpoint: 'http://127.0.0.1:1', maxAttempts: 2 })
  const error = await t.throwsAsync(keysOf(client), { instanceOf: S3BulkError })
  t.regex(error.message, /refused/i)
})

serial('a bucket that is not there is an error with code and status', async (t) => {
  const error = await t.throwsAsync(keysOf(t.context.client, { Bucket: 'not-there' }), {
    instanceOf: S3BulkError,
    code: 'NoSuchBucket',
  })
  t.is(error.status, 404)
  t.is(await requests(t.context.server, 'ListObjectsV2'), 1, 'it is not tried again')
})

for (const flag of ['useFipsEndpoint', 'useDualstackEndpoint']) {
  serial(`${flag} reaches the SDK, which has no such endpoint for a store of one's own`, async (t) => {
    const error = await t.throwsAsync(keysOf(t.context.open({ [flag]: true })), { instanceOf: S3BulkError })
    t.regex(error.message, /FIPS|dual-?stack/i)
  })
}

serial('without credentials they come from the environment, and from a profile', async (t) => {
  const { server } = t.context
  const { accessKeyId, secretAccessKey } = server.credentials
  await server.seed({ bucket: Bucket, keys: ['a'] })
  const folder = mkdtempSync(path.join(tmpdir(), 'ya-syn-s3-'))
  const file = path.join(folder, 'credentials')
  writeFileSync(file, `[other]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`)
  const environments = [
    [{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }, {}],
    [{ AWS_SHARED_CREDENTIALS_FILE: file, AWS_CONFIG_FILE: path.join(folder, 'none') }, { profile: 'other' }],
  ]
  for (const [environment, config] of environments) {
    Object.assign(process.env, environment)
    try {
      const client = t.context.open({ credentials: undefined, ...config })
      t.deepEqual(await keysOf(client), ['a'])
    } finally {
      for (const name of Object.keys(environment)) delete process.env[name]
    }
  }
  rmSync(folder, { recursive: true })
})

serial('close() ends what runs, waits for what is in flight, and leaves no socket open', async (t) => {
  const { open, server } = t.context
  await server.configure({ latencyDelete: 50 })
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 3000 })
  // Those that the test itself has.
  await Promise.all(numbered(4, () => server.stats()))
  const before = (await server.stats()).connections.now
  const client = open()
  const keys = await keysOf(client)
  const call = client.deleteObjects({ Bucket, batchSize: 10, maxTasksInExecution: 3 })({ task: keys })
  const run = client.deletePrefix({ Bucket, Prefix: '001', batchSize: 10, maxTasksInExecution: 1 })
  const listing = client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1 })
  await listing.next()
  const ended = Promise.allSettled([call, run])
  await waitUntil(async () => (await server.stats()).inFlight.byOperation.DeleteObjects?.now === 4)
  await client.close()
  t.is((await server.stats()).inFlight.byOperation.DeleteObjects.now, 0)
  const sent = await requests(server, 'DeleteObjects')
  const [called, ran] = await ended
  t.is(called.reason.code, 'Closed')
  t.regex(called.reason.message, /closed; 29\d0 keys were not tried/)
  t.is(ran.reason.code, 'Closed')
  t.true(ran.reason.counts.deleted > 0 && ran.reason.counts.deleted < 1000)
  await t.throwsAsync(listing.next(), {
    instanceOf: S3BulkError,
    code: 'Closed',
    message: /closed before the listing was read to its end/,
  })
  t.true((await listing.next()).done, 'it is told once')
  await waitUntil(async () => (await server.stats()).connections.now <= before)
  await sleep(100)
  t.is(await requests(server, 'DeleteObjects'), sent, 'nothing more was sent')
})

const cut = {
  'a job that deletes': (client) => client.deletePrefix({ Bucket, all: true, batchSize: 10, maxTasksInExecution: 1 }),
  'a dry run': (client) => client.deletePrefix({ Bucket, all: true, dryRun: true, MaxKeys: 10, parallelListing: 1 }),
  'a loop over a listing': (client) => keysOf(client, { MaxKeys: 10 }),
  'executeTasks without JavaScript': (client) =>
    new SynchronizerProvider().executeTasks({
      maxTasksInFlight: 2,
      maxTasksInExecution: 1,
      taskSource: client.listKeys({ Bucket, MaxKeys: 10 }),
      taskExecutor: client.deleteObjects({ Bucket, batchSize: 10 }),
    }),
  'executeTasks of a listing': (client) =>
    new SynchronizerProvider().executeTasks({
      maxTasksInFlight: 2,
      maxTasksInExecution: 1,
      taskSource: client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1 }),
      taskExecutor: () => sleep(1),
    }),
}
for (const [name, start] of Object.entries(cut)) {
  serial(`close() in the middle of ${name} makes it fail, not end`, async (t) => {
    const { open, server } = t.context
    await server.seed({ bucket: Bucket, template: '{i:06}', count: 3000 })
    await server.configure({ latencyList: 20, latencyDelete: 20 })
    const client = open()
    const ended = t.throwsAsync(start(client), {
      instanceOf: S3BulkError,
      code: 'Closed',
      message: /client was closed before/,
    })
    await waitUntil(async () => (await server.stats()).requests.total >= 3)
    await client.close()
    const { counts } = await ended
    if (counts !== undefined) t.true(counts.listed < 3000 || counts.deleted < 3000)
    t.is(counts === undefined, /listing/.test(name))
  })
}

serial('close() leaves a listing be whose last page was given, or that was left', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i}', count: 30 })
  const client = open()
  const read = client.listKeys({ Bucket, parallelListing: 1 })
  t.is((await read.next()).value.task.length, 30)
  // Its end has come over when another job is through.
  await keysOf(client)
  const left = client.listKeys({ Bucket, parallelListing: 1, MaxKeys: 10 })
  await left.next()
  const leftLater = client.listKeys({ Bucket, parallelListing: 1, MaxKeys: 10 })
  await leftLater.next()
  await left.return()
  await client.close()
  await leftLater.return()
  for (const listing of [read, left, leftLater]) t.deepEqual(await listing.next(), { done: true, value: undefined })
})

serial('a closed client begins nothing, and closing it again is harmless', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  const del = client.deleteObjects({ Bucket })
  await keysOf(client)
  await Promise.all([client.close(), client.close()])
  await client.close()
  await t.throwsAsync(client.listKeys({ Bucket }).next(), { instanceOf: S3BulkError, code: 'Closed' })
  await t.throwsAsync(del({ task: ['a'] }), { code: 'Closed' })
  await t.throwsAsync(client.deletePrefix({ Bucket, all: true }), { code: 'Closed' })
})

serial('await using closes it', async (t) => {
  const client = new S3BulkClient(clientConfig(t.context.server))
  await client[Symbol.asyncDispose]()
  await t.throwsAsync(keysOf(client), { code: 'Closed' })
})
