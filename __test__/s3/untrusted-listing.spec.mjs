// Listings that contradict the question or themselves: nothing of them is used, and nothing is called done that is not.
import test from 'ava'
import { S3BulkClient } from 'ya-syn-native/s3'
import { encodeForm, encodePath } from '../helpers/encodings.mjs'
import { startScriptedStore } from '../helpers/scripted-store.mjs'
import { Bucket, flat, keysOf, numbered, sorted, versionsOf } from './store.mjs'

async function open(t, script, config) {
  const store = await startScriptedStore(script)
  const client = new S3BulkClient({
    endpoint: store.endpoint,
    credentials: store.credentials,
    region: 'us-east-1',
    forcePathStyle: true,
    ...config,
  })
  t.teardown(async () => {
    await client.close()
    await store.stop()
  })
  return { client, store }
}

/** The job fails, and nothing was deleted. */
async function isRefused(t, { client, store }, options, message) {
  const before = store.left()
  const error = await t.throwsAsync(client.deletePrefix({ Bucket, ...options }), { code: 'InvalidListing', message })
  t.deepEqual(store.left(), before)
  t.is(store.requests.filter(({ kind }) => kind !== 'list' && kind !== 'versions').length, 0, 'no request but listings')
  t.is(error.counts.deleted, 0)
}

const keyless = {
  'without a key': ({ contents }) => delete contents[1].Key,
  'with an empty key': ({ contents }) => {
    contents[1].Key = ''
  },
}
for (const [name, change] of Object.entries(keyless)) {
  for (const deleteMode of ['auto', 'single']) {
    test(`an entry ${name} ends the job before anything of its page is deleted (${deleteMode})`, async (t) => {
      const opened = await open(t, { keys: ['a', 'b', 'c'], answer: (_, page) => void change(page) }, { deleteMode })
      await isRefused(t, opened, { all: true }, /without a key/)
    })
  }
}

test('a key outside of the prefix ends the job before anything of its page is deleted', async (t) => {
  const answer = ({ query }, page) => {
    page.contents = ['tmp/a', 'prod/a', 'prod/b'].map((Key) => ({ Key }))
    t.is(query.prefix, 'tmp/')
  }
  const opened = await open(t, { keys: ['tmp/a', 'prod/a', 'prod/b'], answer })
  await isRefused(t, opened, { Prefix: 'tmp/' }, /"prod\/a"/)
  await t.throwsAsync(flat(opened.client.listKeys({ Bucket, Prefix: 'tmp/' })), { code: 'InvalidListing' })
})

test('what an earlier page named is deleted, and nothing of the page that contradicts the question', async (t) => {
  const answer = ({ number }, page) => void (number > 0 && page.contents.push({ Key: 'other' }))
  const { client, store } = await open(t, { keys: ['p/1', 'p/2', 'p/3', 'other'], answer })
  const error = await t.throwsAsync(client.deletePrefix({ Bucket, Prefix: 'p/', MaxKeys: 2, parallelListing: 1 }), {
    code: 'InvalidListing',
  })
  t.is(error.counts.deleted, 4 - store.left().length)
  t.true(store.left().includes('p/3') && store.left().includes('other'))
})

test('keys at or before StartAfter never come, and all others once, from a store that ignores it', async (t) => {
  const keys = numbered(50, (i) => `k${String(i).padStart(2, '0')}`)
  const answer = ({ query }, page) => {
    if (query['start-after'] === undefined) return
    page.contents = keys.slice(0, Number(query['max-keys'])).map((Key) => ({ Key }))
    Object.assign(page.fields, { IsTruncated: 'true', NextContinuationToken: page.contents.at(-1).Key })
  }
  const { client } = await open(t, { keys, answer })
  for (const parallelListing of [1, 8]) {
    t.deepEqual(
      sorted(await keysOf(client, { StartAfter: 'k19', MaxKeys: 7, parallelListing })),
      keys.slice(20),
      `${parallelListing}`,
    )
  }
})

const faults = {
  'entries without a VersionId': [({ contents }) => delete contents[0].VersionId, /without an id/],
  'entries with an empty VersionId': [
    ({ contents }) => {
      contents[0].VersionId = ''
    },
    /without an id/,
  ],
  'a listing of objects': [
    (page) => Object.assign(page, { root: 'ListBucketResult', entry: 'Contents' }),
    /one of objects/,
  ],
  'objects among versions': [(page) => Object.assign(page, { entry: 'Contents' }), /<Contents>/],
}
for (const [name, [change, message]] of Object.entries(faults)) {
  test(`a listing of versions never becomes plain deletes: ${name}`, async (t) => {
    const opened = await open(t, {
      keys: [
        ['a', '1'],
        ['b', '2'],
      ],
      answer: (_, page) => void change(page),
    })
    await isRefused(t, opened, { all: true, versions: true }, message)
    await t.throwsAsync(versionsOf(opened.client), { code: 'InvalidListing' })
  })
}

test('a plain listing that gives versions makes no deletes of versions', async (t) => {
  const answer = (_, page) =>
    page.contents.forEach((one) => {
      one.VersionId = '1'
    })
  const { client, store } = await open(t, { keys: ['a'], answer })
  t.like(await client.deletePrefix({ Bucket, all: true }), { deleted: 1 })
  t.deepEqual(store.left(), [])
})

for (const text of ['true', 'TRUE', 'True', '1', ' true ', undefined]) {
  test(`a listing goes on to its end where IsTruncated is ${JSON.stringify(text) ?? 'left out'}`, async (t) => {
    const keys = numbered(25, (i) => `k${String(i).padStart(2, '0')}`)
    const answer = (_, { fields }) => void (fields.IsTruncated === 'true' && (fields.IsTruncated = text))
    const { client, store } = await open(t, { keys, answer })
    t.deepEqual(await keysOf(client, { MaxKeys: 10 }), keys)
    t.like(await client.deletePrefix({ Bucket, all: true, MaxKeys: 10 }), { deleted: 25 })
    t.deepEqual(store.left(), [])
  })
}

const unreadable = {
  'IsTruncated that is no boolean': [
    ({ fields }) => {
      fields.IsTruncated = 'maybe'
    },
    /"maybe"/,
  ],
  'an empty IsTruncated': [
    ({ fields }) => {
      fields.IsTruncated = ''
    },
    /whether more follows/,
  ],
  'an unknown EncodingType': [
    ({ fields }) => {
      fields.EncodingType = 'base64'
    },
    /base64/,
  ],
  'more to come, but no keys and nowhere to begin': [
    (page) => {
      page.contents = []
      page.fields.IsTruncated = 'true'
    },
    /where the next page begins/,
  ],
  'keys in other elements': [
    (page) => {
      page.entry = 'contents'
    },
    /<contents>/,
  ],
  'prefixes in the place of keys': [
    (page) => {
      page.contents = []
      page.prefixes = ['a/']
    },
    /groups keys/,
  ],
  'a malformed escape': [
    ({ contents }) => {
      contents[0].Key = 'a%zz'
    },
    /can't be read/,
  ],
  'half an escape': [
    ({ contents }) => {
      contents[0].Key = 'a%2'
    },
    /can't be read/,
  ],
}
for (const [name, [change, message]] of Object.entries(unreadable)) {
  test(`what can not be read is an error, and never the end: ${name}`, async (t) => {
    const opened = await open(t, { keys: ['a', 'b'], answer: (_, page) => void change(page) })
    await isRefused(t, opened, { all: true }, message)
  })
}

test('the error names the bucket', async (t) => {
  const { client } = await open(t, { keys: ['a'], answer: (_, page) => void page.contents.push({}) })
  await t.throwsAsync(keysOf(client), { code: 'InvalidListing', message: new RegExp(`bucket "${Bucket}"`) })
})

const ways = {
  'without a token, by the last key': ({ fields }) => delete fields.NextContinuationToken,
  'by NextMarker': ({ fields, contents }) => {
    if (fields.NextContinuationToken) fields.NextMarker = contents.at(-1).Key
    delete fields.NextContinuationToken
  },
}
for (const [name, change] of Object.entries(ways)) {
  test(`a listing that goes on ${name} is listed to its end`, async (t) => {
    const keys = numbered(25, (i) => `k ${String(i).padStart(2, '0')}&`)
    const answer = (_, page) => void change(page)
    const { client, store } = await open(t, { keys, answer })
    t.deepEqual(await keysOf(client, { MaxKeys: 10 }), keys)
    const places = store.requests
      .map(({ query }) => [query['start-after'], query.marker])
      .filter(([after]) => after !== undefined && !after.endsWith(' '))
    t.deepEqual(places.slice(-2), [
      ['k 09&', 'k 09&'],
      ['k 19&', 'k 19&'],
    ])
  })
}

test('a store that knows no place to begin at is no endless listing', async (t) => {
  const answer = (_, page) => {
    page.contents = [{ Key: 'a' }, { Key: 'b' }]
    page.fields.IsTruncated = 'true'
    delete page.fields.NextContinuationToken
  }
  const { client, store } = await open(t, { keys: ['a', 'b'], answer })
  await t.throwsAsync(keysOf(client), { code: 'InvalidListing', message: /to begin behind "b"/ })
  t.is(store.requests.length, 2)
})

const pairs = ['a/1 1.txt', 'a/1+1.txt', 'a b', 'a+b', '+', '100%', '%20', '%2B', 'x%2By']
for (const [name, encode] of Object.entries({ 'a plus': encodePath, 'a blank': encodeForm })) {
  for (const keys of [pairs, ['a/1+1.txt'], ['a/1 1.txt'], ['a/1+1.txt', 'a/1 1.txt'], ['z z', 'a+b', 'a+c']]) {
    test(`where + is ${name}, exactly the right keys come and go: ${keys.join(', ')}`, async (t) => {
      const { client, store } = await open(t, { keys, encode })
      t.deepEqual(await keysOf(client, { MaxKeys: 1 }), sorted(keys))
      const asked = store.requests.length
      t.deepEqual(await keysOf(client, { MaxKeys: 1 }), sorted(keys))
      t.true(store.requests.length - asked <= keys.length, 'what was learnt is remembered')
      const spared = keys.filter((key) => key.includes('+'))
      t.is(
        (await client.deletePrefix({ Bucket, all: true, filter: { regex: ' ' } })).deleted,
        keys.filter((key) => key.includes(' ')).length,
      )
      for (const key of spared) t.true(store.left().includes(key), key)
      await client.deletePrefix({ Bucket, all: true })
      t.deepEqual(store.left(), [])
    })
  }
}

test('names are read as each kind of listing has them, where a store encodes those of objects alone', async (t) => {
  const keys = ['100%', 'a b', 'a+b', '%20']
  const answer = ({ kind }, page) => {
    if (kind !== 'versions') return
    delete page.fields.EncodingType
    delete page.fields.Prefix
    for (const entry of page.contents) entry.Key = decodeURIComponent(entry.Key.replaceAll('+', ' '))
  }
  const { client, store } = await open(t, { keys: keys.map((key) => [key, '1']), answer })
  t.deepEqual(await keysOf(client), sorted(keys))
  const versions = await flat(client.listObjectVersions({ Bucket }))
  t.deepEqual(sorted(versions.map(({ Key }) => Key)), sorted(keys))
  t.is((await client.deletePrefix({ Bucket, all: true, versions: true })).deleted, keys.length)
  t.deepEqual(store.left(), [])
})

test('a store that does not tell what + is in its names gets no delete', async (t) => {
  const answer = (_, page) => {
    page.contents = [{ Key: 'a+b' }]
  }
  const opened = await open(t, { keys: ['a b', 'a+b'], answer })
  await isRefused(t, opened, { all: true }, /whether \+ is a plus or a blank/)
  t.true(opened.store.requests.length <= 3)
})

const sizes = [undefined, '', '-1', '12.0']
test('a size that can not be read is an error where it is wanted, and harmless elsewhere', async (t) => {
  for (const Size of sizes) {
    const { client } = await open(t, {
      keys: ['a'],
      answer: (_, page) =>
        page.contents.forEach((one) => {
          one.Size = Size
        }),
    })
    t.deepEqual(await keysOf(client), ['a'])
    for (const wanting of [client.listKeys({ Bucket, filter: { minSize: 1 } }), client.listObjects({ Bucket })]) {
      await t.throwsAsync(flat(wanting), { code: 'InvalidListing', message: /how large "a" is/ })
    }
  }
})

// Everything is listed in a moment; the small questions are those with StartAfter of their own.
const isSmall = ({ query }) => query['start-after'] !== undefined || query['key-marker'] !== undefined
const questions = {
  'never answered': () => null,
  refused: () => ({ status: 400, body: '<Error><Code>InvalidArgument</Code></Error>' }),
  throttled: () => ({ status: 503, body: '<Error><Code>SlowDown</Code></Error>' }),
  'answered by nonsense': () => '<html></html>',
  'answered from the beginning': (_, page) => {
    page.contents = [{ Key: 'k0000' }]
  },
  'answered with other keys': (_, page) => {
    page.contents = [{ Key: 'zzz' }]
    page.prefixes = ['other/']
  },
}
for (const [name, say] of Object.entries(questions)) {
  test.serial(`optional questions that are ${name} hold up nothing and count as no failure`, async (t) => {
    const keys = numbered(3000, (i) => `k${String(i).padStart(4, '0')}`)
    const answer = (request, page) => (isSmall(request) ? say(request, page) : undefined)
    const { elapsedMs } = await (
      await open(t, { keys })
    ).client.deletePrefix({ Bucket, Prefix: 'k', MaxKeys: 100, parallelListing: 1 })
    const { client, store } = await open(t, { keys, answer }, { requestTimeout: 60_000 })
    const result = await client.deletePrefix({ Bucket, Prefix: 'k', MaxKeys: 100 })
    t.like(result, { deleted: 3000, failed: 0, retries: 0, throttled: 0 })
    t.true(result.elapsedMs < 2 * elapsedMs + 1000, `${result.elapsedMs} ms, and ${elapsedMs} ms without questions`)
    t.true(store.requests.some(isSmall), 'it was asked')
    t.true(result.requests >= store.requests.length - 64 && result.requests >= 31)
    t.deepEqual(store.left(), [])
  })
}

test('pages that come again behind ever new tokens end a listing', async (t) => {
  const answer = ({ number }, page) => {
    page.contents = ['p/1', 'p/2'].map((Key) => ({ Key }))
    Object.assign(page.fields, { IsTruncated: 'true', NextContinuationToken: `token-${number}` })
  }
  const { client, store } = await open(t, { keys: ['p/1', 'p/2'], answer })
  for (const parallelListing of [1, 8]) {
    await t.throwsAsync(flat(client.listKeys({ Bucket, Prefix: 'p/', parallelListing })), {
      code: 'InvalidListing',
      message: /lists "p\/1" again on a later page/,
    })
  }
  t.true(store.requests.length < 50)
})
