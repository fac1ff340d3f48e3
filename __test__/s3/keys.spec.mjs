// Every key that a store can hold is listed and deleted as itself.
import test from 'ava'
import { Bucket, flat, keysOf, sorted, versionsOf, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

const odd = [
  ' ',
  '  ',
  ' a',
  'a ',
  'a',
  '\t',
  'a b',
  'a+b',
  'a%2Fb',
  'a/b',
  '100%',
  '%20',
  '%',
  '+',
  '&<>"\'',
  '&amp;',
  'd/',
  'd//x',
  '/lead',
  'd/./x',
  'd/../e',
  'd/..',
  'd/x',
  'e',
  'lead',
  '\u0001',
  '\u001f\u0000x',
  'cr\rlf\n',
  '\r\n',
  '\ufffe',
  '\uffff',
  '😀',
  '漢字',
  'é',
  'e\u0301',
  '\u0085',
  '\u2028',
  'x'.repeat(1024),
  '.',
  '..',
  '/',
  '//',
  '?a=b',
  '#',
  '\\',
  ']]>',
  '<!--',
  '\u007f',
  '\u3000',
]

for (const [name, settings] of [
  ['', {}],
  [', pretty-printed', { prettyXml: true }],
]) {
  serial(`every key is listed as itself, in the order of its bytes${name}`, async (t) => {
    const { client, server } = t.context
    await server.configure(settings)
    await server.seed({ bucket: Bucket, keys: odd })
    t.deepEqual(await keysOf(client), sorted(odd))
    t.deepEqual(sorted(await keysOf(client, { parallelListing: 8, MaxKeys: 3 })), sorted(odd))
    t.deepEqual(
      (await flat(client.listObjects({ Bucket, parallelListing: 1 }))).map(({ Key }) => Key),
      sorted(odd),
    )
    t.deepEqual(
      (await versionsOf(client)).map(({ Key }) => Key),
      sorted(odd),
    )
    for (const key of odd)
      t.deepEqual(
        (await keysOf(client, { Prefix: key })).sort(),
        odd.filter((other) => other.startsWith(key)).sort(),
        JSON.stringify(key),
      )
  })
}

serial('a store that ignores the wish for encoding is taken at its word', async (t) => {
  const { client, server } = t.context
  const keys = ['%20', '100%', 'a b', 'a%2Fb', 'a+b', 'a/b']
  await server.configure({ ignoreEncodingType: true })
  await server.seed({ bucket: Bucket, keys })
  t.deepEqual(await keysOf(client), keys)
})

for (const deleteMode of ['auto', 'md5', 'single']) {
  serial(`each key alone is deleted as itself, the others stay (deleteMode: '${deleteMode}')`, async (t) => {
    const { open, server } = t.context
    await server.seed({ bucket: Bucket, keys: odd })
    const client = open({ deleteMode })
    const del = client.deleteObjects({ Bucket })
    const rest = new Set(odd)
    for (const key of odd) {
      await del({ task: [key] })
      rest.delete(key)
      t.deepEqual(await keysOf(client), sorted(rest), JSON.stringify(key))
    }
  })
}

for (const deleteMode of ['auto', 'md5', 'single']) {
  serial(`all odd keys go in one call, and their versions (deleteMode: '${deleteMode}')`, async (t) => {
    const { open, server } = t.context
    const client = open({ deleteMode })
    await server.seed({ bucket: Bucket, keys: odd, versioning: 'Enabled' })
    t.like(await client.deletePrefix({ Bucket, all: true }), {
      deleted: odd.length,
      failed: 0,
      markersCreated: odd.length,
    })
    t.deepEqual(await keysOf(client), [])
    t.like(await client.deletePrefix({ Bucket, all: true, versions: true }), {
      deleted: 2 * odd.length,
      failed: 0,
      markersCreated: 0,
    })
    t.deepEqual(await versionsOf(client), [])
  })
}

serial('of keys that look alike when encoded only the one that is meant goes', async (t) => {
  const { open, server } = t.context
  const keys = ['a b', 'a+b', 'a%2Fb', 'a/b', '100%', '%20', ' ', '%2B', '+']
  for (const deleteMode of ['auto', 'single']) {
    for (const ignoreEncodingType of [false, true]) {
      // A client takes it for a fault if a store encodes names at one time and not at another.
      const client = open({ deleteMode })
      await server.configure({ ignoreEncodingType })
      for (const key of keys) {
        await server.seed({ bucket: Bucket, keys })
        const taskExecutor = client.deleteObjects({ Bucket })
        for await (const { task } of client.listKeys({ Bucket, where: (other) => other === key }))
          await taskExecutor({ task })
        t.deepEqual(await keysOf(client), sorted(keys.filter((other) => other !== key)))
      }
    }
  }
})

serial('a prefix is literal', async (t) => {
  const { client, server } = t.context
  for (const [keys, Prefix, rest] of [
    [['foo', 'foo/1', 'foo2/1'], 'foo/', ['foo', 'foo2/1']],
    [['foo', 'foo/1', 'foo2/1', 'fo'], 'foo', ['fo']],
    [['d/', 'd//x', '/lead', 'd/./x', 'd/../e', 'd/..', 'd/x', 'e', 'lead'], 'd/', ['/lead', 'e', 'lead']],
    [['/lead', 'lead', '//'], '/', ['lead']],
    [[' ', ' a', 'a ', 'a', '\t'], ' ', ['\t', 'a', 'a ']],
  ]) {
    await server.reset()
    await server.seed({ bucket: Bucket, keys })
    const { deleted } = await client.deletePrefix({ Bucket, Prefix })
    t.is(deleted, keys.length - rest.length)
    t.deepEqual(await keysOf(client), rest)
  }
})

serial('a key that is no valid UTF-16 is refused by name, and the others of its page go', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['\ufffd', 'a'] })
  const error = await t.throwsAsync(client.deleteObjects({ Bucket })({ task: ['\ud800', 'a', ''] }))
  t.deepEqual(
    error.failed.map(({ Key, code }) => [Key, code]),
    [
      ['\ud800', 'InvalidKey'],
      ['', 'InvalidKey'],
    ],
  )
  t.is(error.deleted, 1)
  t.deepEqual(await keysOf(client), ['\ufffd'])
})
