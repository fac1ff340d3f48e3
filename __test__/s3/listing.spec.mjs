// Listings as sources that JavaScript reads: pages, order, ranges, filters, and the end.
import test from 'ava'
import { Bucket, flat, keysOf, numbered, requests, sleep, sorted, versionsOf, waitUntil, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

serial('a listing is an async iterator of pages that are never empty', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:03}', count: 25 })
  const listing = client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1 })
  t.is(listing[Symbol.asyncIterator](), listing)
  const pages = []
  for await (const { task } of listing) pages.push(task.length)
  t.deepEqual(pages, [10, 10, 5])
  t.deepEqual(await listing.next(), { done: true, value: undefined })
  const empty = client.listKeys({ Bucket, Prefix: 'nothing' })
  t.deepEqual(await empty.next(), { done: true, value: undefined })
})

serial('calls of next() that do not wait for one another get pages in order', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:03}', count: 25 })
  const listing = client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1 })
  const results = await Promise.all(numbered(5, () => listing.next()))
  t.deepEqual(
    results.map(({ done, value }) => (done ? 'done' : value.task[0])),
    ['000', '010', '020', 'done', 'done'],
  )
})

serial('Prefix, StartAfter and MaxKeys choose what is listed', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a/1', 'a/2', 'a/3', 'b/1'] })
  t.deepEqual(await keysOf(client, { Prefix: 'a/' }), ['a/1', 'a/2', 'a/3'])
  t.deepEqual(await keysOf(client, { Prefix: 'a/', StartAfter: 'a/1' }), ['a/2', 'a/3'])
  t.deepEqual(await keysOf(client, { StartAfter: 'a/2', parallelListing: 8 }), ['a/3', 'b/1'])
  t.deepEqual(await versionsOf(client, { StartAfter: 'a/3' }).then((all) => all.map(({ Key }) => Key)), ['b/1'])
  t.is((await client.listKeys({ Bucket, MaxKeys: 2 }).next()).value.task.length, 2)
})

serial('listObjects tells size, time and tag', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'], size: 5, lastModifiedMs: 1_700_000_000_123 })
  const [object] = await flat(client.listObjects({ Bucket }))
  t.deepEqual(Object.keys(object), ['Key', 'Size', 'LastModified', 'ETag'])
  t.like(object, { Key: 'a', Size: 5 })
  t.is(object.LastModified.getTime(), 1_700_000_000_123)
  t.regex(object.ETag, /^"[0-9a-f]+"$/)
})

serial('listObjectVersions tells versions and markers, over all pages', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: 'k{i:02}', count: 12, puts: 2, delete: true, versioning: 'Enabled' })
  const all = await versionsOf(client, { MaxKeys: 5 })
  t.deepEqual(Object.keys(all[0]), ['Key', 'VersionId', 'IsDeleteMarker'])
  t.is(all.length, 36)
  t.is(new Set(all.map(({ VersionId }) => VersionId)).size, 36)
  t.is(all.filter(({ IsDeleteMarker }) => IsDeleteMarker).length, 12)
  t.deepEqual(
    [...new Set(all.map(({ Key }) => Key))],
    numbered(12, (i) => `k${String(i).padStart(2, '0')}`),
  )
  t.deepEqual(await keysOf(client), [])
})

const mixed = ['z', 'Z', 'é', '漢', '😀', '\uffff', 'a', '~', '\u0001', 'aa', 'a/', 'a ', 'ﬁ']
serial('with parallelListing: 1 keys come in the order of their UTF-8 bytes', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: mixed })
  const keys = await keysOf(client, { MaxKeys: 2 })
  t.deepEqual(keys, sorted(mixed))
  t.not(keys.indexOf('😀'), [...mixed].sort().indexOf('😀'), 'that is not the order of JavaScript')
})

const shapes = {
  numbers: { template: '{i:08}', count: 6000 },
  hexadecimal: { template: '{x}', count: 6000 },
  'sub-prefixes': { template: 'p/{i%16:02}/{i:06}', count: 6000 },
  'deep sub-prefixes': { template: 'a/b/c/{x:4}/{i}', count: 6000 },
  'one crowded sub-prefix': { template: 'p/{i:06}', count: 6000, more: numbered(20, (i) => `q${i}/x`) },
  'a long common beginning': { template: `${'x'.repeat(900)}{i:06}`, count: 6000 },
  dates: { template: '2024-{i%12:02}-{i%28:02}/{i:06}.log', count: 6000 },
  'many alphabets': { keys: numbered(6000, (i) => `${String.fromCodePoint(0x21 + ((i * 7919) % 0xd000))}${i}`) },
  'odd characters': {
    keys: numbered(3000, (i) => `${'\t\r\n &<>+%é😀\u007f\u0001'.charAt(i % 15) || 'x'}${i % 7} ${i}`).filter((key) =>
      key.isWellFormed(),
    ),
  },
  'few keys': { template: '{i:04}', count: 350 },
}
for (const [name, { more = [], ...seed }] of Object.entries(shapes)) {
  serial(`each key comes exactly once from parallel listing: ${name}`, async (t) => {
    const { client, server } = t.context
    await server.configure({ latencyList: 2 })
    await server.seed({ bucket: Bucket, ...seed })
    await server.seed({ bucket: Bucket, keys: more })
    const expected = await keysOf(client)
    t.is(expected.length, (seed.count ?? seed.keys.length) + more.length)
    await server.reset({ only: 'stats' })
    const keys = await keysOf(client, { parallelListing: 8, MaxKeys: 100 })
    t.deepEqual(sorted(keys), expected)
    const { peak } = (await server.stats()).inFlight.byOperation.ListObjectsV2
    t.true(peak <= 8 + 32, `${peak} at once`)
    if (expected.length > 1000) t.true(peak > 4, `only ${peak} at once`)
  })
}

serial('each version comes exactly once from parallel listing, also many of one key', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyList: 2 })
  await server.seed({ bucket: Bucket, template: '{x}', count: 1500, puts: 2, delete: true, versioning: 'Enabled' })
  await server.seed({ bucket: Bucket, keys: ['7f'], puts: 700 })
  const all = await versionsOf(client, { parallelListing: 8, MaxKeys: 50 })
  t.is(all.length, 3 * 1500 + 700)
  t.is(new Set(all.map(({ VersionId }) => VersionId)).size, all.length)
})

serial('keys that are deleted meanwhile lose no others', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyList: 2 })
  await server.seed({ bucket: Bucket, template: '{x}', count: 5000 })
  const del = client.deleteObjects({ Bucket })
  const seen = []
  const deleting = []
  for await (const { task } of client.listKeys({ Bucket, MaxKeys: 100 })) {
    seen.push(...task)
    deleting.push(del({ task }))
  }
  await Promise.all(deleting)
  t.deepEqual([seen.length, new Set(seen).size], [5000, 5000])
  t.deepEqual(await keysOf(client), [])
})

const objects = [
  ['logs/a.log', 1, 1000],
  ['logs/b.txt', 10, 2000],
  ['logs/deep/c.log', 100, 3000],
  ['data.log', 1000, 4000],
  ['x.LOG', 5, 5000],
]
const filters = [
  [{ suffix: '.log' }, ['data.log', 'logs/a.log', 'logs/deep/c.log']],
  [{ glob: 'logs/*.log' }, ['logs/a.log']],
  [{ glob: '**/*.log' }, ['data.log', 'logs/a.log', 'logs/deep/c.log']],
  [{ glob: 'logs/[!b].{log,txt}' }, ['logs/a.log']],
  [{ glob: '?.LOG' }, ['x.LOG']],
  [{ regex: '^logs/.*c' }, ['logs/deep/c.log']],
  [{ regex: '(?i)log$' }, ['data.log', 'logs/a.log', 'logs/deep/c.log', 'x.LOG']],
  [{ minSize: 10 }, ['data.log', 'logs/b.txt', 'logs/deep/c.log']],
  [{ maxSize: 10 }, ['logs/a.log', 'logs/b.txt', 'x.LOG']],
  [{ minSize: 10, maxSize: 100 }, ['logs/b.txt', 'logs/deep/c.log']],
  [{ modifiedBefore: new Date(3000) }, ['logs/a.log', 'logs/b.txt']],
  [{ modifiedBefore: 3001, suffix: '.log' }, ['logs/a.log', 'logs/deep/c.log']],
  [{}, ['data.log', 'logs/a.log', 'logs/b.txt', 'logs/deep/c.log', 'x.LOG']],
]
serial('filters leave out what does not hold, in every kind of listing', async (t) => {
  const { client, server } = t.context
  for (const [key, size, lastModifiedMs] of objects)
    await server.seed({ bucket: Bucket, keys: [key], size, lastModifiedMs })
  const all = (list, options) =>
    flat(client[list]({ Bucket, parallelListing: 1, ...options })).then((items) =>
      items.map((item) => item.Key ?? item),
    )
  for (const [filter, expected] of filters) {
    for (const list of ['listKeys', 'listObjects', 'listObjectVersions'])
      t.deepEqual(await all(list, { filter }), expected, `${list} ${JSON.stringify(filter)}`)
  }
  t.deepEqual(await all('listKeys', { where: (key) => key < 'e' }), ['data.log'])
  t.deepEqual(await all('listObjects', { filter: { suffix: '.log' }, where: ({ Size }) => Size > 1 }), [
    'data.log',
    'logs/deep/c.log',
  ])
})

serial('pages that a filter empties are not handed out', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 30 })
  for (const choice of [{ filter: { glob: '0001?' } }, { where: (key) => key.startsWith('0001') }]) {
    const pages = []
    for await (const { task } of client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1, ...choice }))
      pages.push(task.length)
    t.deepEqual(pages, [10])
  }
})

serial('a filter in JavaScript that answers with anything but true or false ends the listing', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i}', count: 30 })
  for (const where of [async () => false, () => undefined, () => 1]) {
    const listing = client.listKeys({ Bucket, MaxKeys: 10, where })
    await t.throwsAsync(listing.next(), {
      code: 'Invalid',
      message: /What where\(\) returns must be true or false, and no promise of it, but is (Promise|undefined|1)/,
    })
    t.true((await listing.next()).done)
  }
})

serial('a filter in JavaScript that throws ends the listing with its error', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  const error = new Error('odd key')
  const where = () => {
    throw error
  }
  t.is(await t.throwsAsync(keysOf(client, { where })), error)
})

const refused = [
  [{ Bucket: '' }, /Bucket must be the name or ARN of a bucket, but is ''/],
  [{ Bucket: undefined }, /Bucket/],
  [{ Prefix: 5 }, /Prefix must be a string, or left out, but is 5/],
  [{ Prefix: '\ud800' }, /Prefix .*half surrogate/],
  [{ StartAfter: {} }, /StartAfter/],
  [{ MaxKeys: 1001 }, /MaxKeys must be an integer from 1 to 1000, but is 1001/],
  [{ parallelListing: 0 }, /parallelListing must be an integer from 1 to 1000, but is 0/],
  [{ parallelListing: 1.5 }, /parallelListing/],
  [{ RequestPayer: 'me' }, /RequestPayer/],
  [{ where: 'a' }, /where must be a function/],
  [{ signal: {} }, /signal must be an AbortSignal/],
  [{ filter: { sufix: 'x' } }, /filter\.sufix must be left out: a filter has .*suffix/],
  [{ filter: { minSize: '5' } }, /filter\.minSize must be a number of bytes, but is '5'/],
  [{ filter: { modifiedBefore: 'yesterday' } }, /filter\.modifiedBefore/],
  [{ filter: { regex: /a/ } }, /filter\.regex must be a string in the syntax of Rust's regex crate/],
]
test('options that a listing does not know are refused by name', (t) => {
  for (const method of ['listKeys', 'listObjects', 'listObjectVersions']) {
    const message = new RegExp(`prefix must be left out: ${method} knows .*Prefix.*, but is 'a'`)
    t.throws(() => t.context.client[method]({ Bucket, prefix: 'a' }), { code: 'Invalid', message })
    t.notThrows(() => t.context.client[method]({ Bucket, prefix: undefined }))
  }
})

test('bad options are refused by name and value', (t) => {
  for (const [options, message] of refused) {
    t.throws(() => t.context.client.listKeys({ Bucket, ...options }), { code: 'Invalid', message })
  }
  t.throws(() => t.context.client.listKeys(), { code: 'Invalid', message: /The options must be an object/ })
})

test('a pattern that can not be read is refused, and the error says where', (t) => {
  const { client } = t.context
  for (const [filter, message] of [
    [{ regex: '(' }, /filter\.regex must be .*but is '\(': .*open group/],
    [{ regex: '\\p{Greek}' }, /filter\.regex/],
    [{ glob: '[a' }, /filter\.glob must be .*but is '\[a': a \[ is not closed/],
    [{ glob: '{a,b' }, /a \{ is not closed/],
  ]) {
    t.throws(() => client.listKeys({ Bucket, filter }), { code: 'Invalid', message })
  }
})

serial('leaving the loop ends the listing', async (t) => {
  const { client, server } = t.context
  await server.configure({ latencyList: 5 })
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 5000 })
  for await (const { task } of client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1 })) {
    t.is(task.length, 10)
    break
  }
  await waitUntil(async () => (await server.stats()).inFlight.now === 0)
  const sent = await requests(server, 'ListObjectsV2')
  t.true(sent < 10, `${sent} requests`)
  await sleep(50)
  t.is(await requests(server, 'ListObjectsV2'), sent)
})

serial('a listing that nobody reads asks for a few pages and no more', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:05}', count: 5000 })
  const listing = client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1 })
  await listing.next()
  await sleep(100)
  t.true((await requests(server, 'ListObjectsV2')) <= 12)
  t.is((await flat(listing)).length, 4990)
})

serial('return() and throw() settle a next() that waits', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a'] })
  await server.faults([{ operation: 'ListObjectsV2', never: true, times: 'always' }])
  for (const end of [
    (listing) => listing.return('x'),
    (listing) => listing.throw(new Error('x')).catch(({ message }) => ({ done: true, value: message })),
  ]) {
    const listing = client.listKeys({ Bucket })
    const next = listing.next()
    await waitUntil(async () => (await server.stats()).inFlight.now > 0)
    t.deepEqual(await end(listing), { done: true, value: 'x' })
    t.deepEqual(await next, { done: true, value: undefined })
  }
})

serial('a signal ends the listing with its reason, once, and keeps no listener', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:03}', count: 30 })
  const controller = new AbortController()
  const { signal } = controller
  const reason = new Error('enough')
  const listing = client.listKeys({ Bucket, MaxKeys: 10, signal })
  await listing.next()
  await server.faults([{ operation: 'ListObjectsV2', never: true, times: 'always' }])
  const other = client.listKeys({ Bucket, signal }).next()
  controller.abort(reason)
  t.is(await t.throwsAsync(other), reason)
  t.is(await t.throwsAsync(listing.next()), reason)
  t.deepEqual(await listing.next(), { done: true, value: undefined })
  t.is(await t.throwsAsync(client.listKeys({ Bucket, signal }).next()), reason)
})
