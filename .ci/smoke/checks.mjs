// What the client promises of any store: each check makes a bucket of its own, and says what it has done.
import assert from 'node:assert/strict'
import { CreateBucketCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3'
import { SynchronizerProvider } from '../../index.mjs'
import { S3BulkClient, S3DeleteError } from '../../s3.mjs'
import { ODD_KEYS } from '../../__test__/helpers/odd-keys.mjs'
import { credentials } from './stores.mjs'

const KEYS = 2500
const provider = new SynchronizerProvider()

// Keys that clients get wrong, control characters and the longest names among them.
const ODD = [...ODD_KEYS, 'x\ry', '\u{1}', 'k\u{7f}', 'k'.repeat(200), 'p'.repeat(200) + '/' + 'q'.repeat(823)]

export async function listAndDelete({ client, sdk, put }) {
  const Bucket = await newBucket(sdk, 'list')
  const keys = Array.from({ length: KEYS }, (_, i) => `many/${i % 7}/${`${i}`.padStart(5, '0')}`)
  const others = ['many', 'many0', 'other/1']
  await put(Bucket, [...keys, ...others])
  const listed = await keysOf(client, { Bucket, parallelListing: 1 })
  assert.deepEqual(listed, inOrder([...keys, ...others]), 'a serial listing is in order')
  for (const MaxKeys of [100, undefined]) {
    const found = await keysOf(client, { Bucket, Prefix: 'many/', MaxKeys })
    assert.deepEqual(found.sort(), [...keys].sort(), 'a parallel listing has every key exactly once')
  }
  await provider.executeTasks({
    maxTasksInFlight: 10,
    maxTasksInExecution: 5,
    taskSource: client.listKeys({ Bucket, Prefix: 'many/3/' }),
    taskExecutor: client.deleteObjects({ Bucket }),
    onTaskError: (error) => {
      throw error
    },
  })
  const left = keys.filter((key) => !key.startsWith('many/3/'))
  assert.deepEqual(
    await keysOf(client, { Bucket, parallelListing: 1 }),
    inOrder([...left, ...others]),
    'what was listed is gone, and nothing else',
  )
  return `listed ${listed.length} keys in order and in parallel, deleted ${keys.length - left.length} with executeTasks`
}

export async function deletePrefix({ client, sdk, put }) {
  const Bucket = await newBucket(sdk, 'prefix')
  const keys = Array.from({ length: KEYS }, (_, i) => `p/${i}`)
  await put(Bucket, [...keys, 'p0'])
  const dry = await client.deletePrefix({ Bucket, Prefix: 'p/', dryRun: true })
  assert.deepEqual([dry.deleted, dry.failed], [keys.length, 0])
  const { deleted, failed, bytes } = await client.deletePrefix({ Bucket, Prefix: 'p/' })
  assert.deepEqual({ deleted, failed, bytes }, { deleted: keys.length, failed: 0, bytes: keys.join('').length })
  assert.deepEqual(await keysOf(client, { Bucket }), ['p0'])
  return `deletePrefix took ${deleted} keys, ${bytes} bytes`
}

export async function oddKeys({ client, sdk, put, store }) {
  const Bucket = await newBucket(sdk, 'odd')
  const list = async () => {
    const keys = await keysOf(client, { Bucket, parallelListing: 1 })
    return store.listsInOrder ? keys : inOrder(keys)
  }
  const del = client.deleteObjects({ Bucket })
  const stored = []
  const others = []
  for (const key of inOrder(ODD)) {
    const became = await put(Bucket, [key]).then(list, () => [])
    if (became[0] === key) stored.push(key)
    else others.push([key, ...became])
    // Whatever the key has become is deleted by the name that the listing gave.
    await del({ task: became })
    assert.deepEqual(await list(), [], `${show(key)} is deleted`)
  }
  assert.deepEqual(
    others.map(([key]) => key),
    inOrder(ODD).filter(store.cannotHold),
    'the store holds what it is known to hold',
  )
  await put(Bucket, stored)
  assert.deepEqual(await list(), stored, 'each key is listed as itself')
  for (const [index, key] of stored.entries()) {
    await del({ task: [key] })
    assert.deepEqual(await list(), stored.slice(index + 1), `${show(key)} is deleted, and nothing else`)
  }
  await put(Bucket, stored)
  await del({ task: stored })
  assert.deepEqual(await list(), [], 'all of them go at once')
  for (const [key] of others) {
    // A store that can not have the key has nothing to delete, or refuses the key by its name.
    await del({ task: [key] }).catch((error) => {
      assert.ok(error instanceof S3DeleteError, `${show(key)}: ${error}`)
      assert.deepEqual(
        error.failed.map(({ Key }) => Key),
        [key],
      )
    })
  }
  const known = others.map(([key, became]) =>
    became === undefined ? show(key) : `${show(key)} (becomes ${show(became)})`,
  )
  return `listed and deleted ${stored.length} odd keys as themselves; the store can hold ${known.length === 0 ? 'all' : `all but ${known.join(', ')}`}`
}

export async function versions({ client, sdk, put }) {
  const Bucket = await newBucket(sdk, 'versions')
  await sdk.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }))
  const keys = Array.from({ length: 30 }, (_, i) => `v/${`${i}`.padStart(2, '0')} +%`)
  for (let round = 0; round < 2; round++) await put(Bucket, keys)
  const plain = await client.deletePrefix({ Bucket, Prefix: 'v/' })
  assert.deepEqual(
    [plain.deleted, plain.markersCreated],
    [keys.length, keys.length],
    'a plain delete makes markers, and says so',
  )
  assert.deepEqual(await keysOf(client, { Bucket }), [])
  const found = await versionsOf(client, Bucket)
  assert.deepEqual(
    [found.length, found.filter(({ IsDeleteMarker }) => IsDeleteMarker).length],
    [3 * keys.length, keys.length],
  )
  const { deleted, failed } = await client.deletePrefix({ Bucket, Prefix: 'v/', versions: true })
  assert.deepEqual([deleted, failed], [3 * keys.length, 0])
  assert.deepEqual(await versionsOf(client, Bucket), [])
  return `made ${plain.markersCreated} markers by a plain delete, removed ${deleted} versions and markers`
}

export async function wrongSecret({ sdk, config }) {
  const Bucket = await newBucket(sdk, 'secret')
  const stranger = new S3BulkClient({ ...config, credentials: { ...credentials, secretAccessKey: 'wrong' } })
  try {
    await assert.rejects(keysOf(stranger, { Bucket }), { code: 'SignatureDoesNotMatch' })
    return 'refused a wrong secret, by the code SignatureDoesNotMatch'
  } finally {
    await stranger.close()
  }
}

export async function newBucket(sdk, name) {
  const Bucket = `smoke-${name}`
  await sdk.send(new CreateBucketCommand({ Bucket }))
  return Bucket
}

async function keysOf(client, options) {
  const keys = []
  for await (const { task } of client.listKeys(options)) keys.push(...task)
  return keys
}

async function versionsOf(client, Bucket) {
  const found = []
  for await (const { task } of client.listObjectVersions({ Bucket })) found.push(...task)
  return found
}

function inOrder(keys) {
  return keys
    .map((key) => Buffer.from(key))
    .sort(Buffer.compare)
    .map(String)
}

function show(key) {
  const text = JSON.stringify(key)
  return text.length <= 40 ? text : `${text.slice(0, 20)}… of ${key.length} characters`
}
