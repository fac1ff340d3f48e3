// The S3 test server as the JavaScript SDK sees it: a client that we did not write signs, checks and parses.
import { Readable } from 'node:stream'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import test from 'ava'
import { startS3Server } from '../../tools/s3-server/start.mjs'
import { ODD_KEYS } from '../helpers/odd-keys.mjs'

const Bucket = 'bucket'
// The first start builds the server.
const BUILD_MS = 20 * 60_000

const keys = [...ODD_KEYS, 'k'.repeat(1024)]

test.beforeEach(async (t) => {
  t.timeout(BUILD_MS)
  const server = await startS3Server()
  const client = new S3Client({
    region: 'us-east-1',
    endpoint: server.endpoint,
    forcePathStyle: true,
    credentials: server.credentials,
    maxAttempts: 1,
  })
  t.context = { server, client, send: (command) => client.send(command) }
})

test.afterEach.always(async (t) => {
  t.context.client?.destroy()
  await t.context.server?.stop()
})

test('objects go in, as text and as streams, and out', async (t) => {
  const { send } = t.context
  await t.throwsAsync(send(new HeadBucketCommand({ Bucket })), { name: 'NotFound' })
  await send(new CreateBucketCommand({ Bucket }))
  await send(new HeadBucketCommand({ Bucket }))
  for (const [Key, Body, rest] of [
    ['text', 'hello'],
    ['stream', Readable.from([Buffer.from('hel'), Buffer.from('lo')]), { ContentLength: 5 }],
    ['sha256', 'hello', { ChecksumAlgorithm: 'SHA256' }],
    ['empty', ''],
  ]) {
    await send(new PutObjectCommand({ Bucket, Key, Body, ...rest }))
    const expected = Key === 'empty' ? '' : 'hello'
    t.is(await (await send(new GetObjectCommand({ Bucket, Key }))).Body.transformToString(), expected)
    t.is((await send(new HeadObjectCommand({ Bucket, Key }))).ContentLength, expected.length)
  }
  await t.throwsAsync(send(new GetObjectCommand({ Bucket, Key: 'none' })), { name: 'NoSuchKey' })
})

test('odd keys are deleted as themselves, one at a time and many at once', async (t) => {
  t.timeout(60_000)
  const { send, server } = t.context
  const inOrder = [...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  const left = async () => (await send(new ListObjectsV2Command({ Bucket }))).KeyCount
  for (const Key of keys) {
    await server.seed({ bucket: Bucket, keys: [Key, `${Key.slice(0, 1023)}x`] })
    await send(new DeleteObjectCommand({ Bucket, Key }))
    t.is(await left(), 1, JSON.stringify(Key))
    await server.reset()
  }
  await server.seed({ bucket: Bucket, keys })
  const { Contents } = await send(new ListObjectsV2Command({ Bucket, EncodingType: 'url' }))
  t.deepEqual(
    Contents.map(({ Key }) => decodeURIComponent(Key.replaceAll('+', ' '))),
    inOrder,
  )
  const { Deleted, Errors } = await send(
    new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } }),
  )
  t.deepEqual({ deleted: Deleted.length, errors: Errors }, { deleted: keys.length, errors: undefined })
  t.is(await left(), 0)
})

test('versions and delete markers', async (t) => {
  const { send, server } = t.context
  await server.seed({ bucket: Bucket, keys: [] })
  await send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }))
  t.is((await send(new GetBucketVersioningCommand({ Bucket }))).Status, 'Enabled')
  await server.seed({ bucket: Bucket, template: 'k{i:04}', count: 3, puts: 2, delete: true })
  const marker = await send(new DeleteObjectCommand({ Bucket, Key: 'k0000' }))
  t.true(marker.DeleteMarker)
  const Objects = []
  let page = {}
  do {
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page
    page = await send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 4, KeyMarker, VersionIdMarker }))
    const { Versions = [], DeleteMarkers = [] } = page
    Objects.push(...[...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId })))
  } while (page.IsTruncated)
  t.is(Objects.length, 10)
  await send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
  t.is((await send(new ListObjectVersionsCommand({ Bucket }))).Versions, undefined)
  t.is((await server.stats()).keys.deleted, 11)
})

test('faults and limits reach the client', async (t) => {
  const { send, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a', 'b'] })
  const deleteBoth = () => send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: 'a' }, { Key: 'b' }] } }))
  await server.faults([
    { operation: 'DeleteObjects', status: 503, code: 'SlowDown' },
    { operation: 'DeleteObjects', close: true },
    { key: 'a', keyError: { code: 'AccessDenied' } },
  ])
  await t.throwsAsync(deleteBoth(), { name: 'SlowDown' })
  await t.throwsAsync(deleteBoth(), { code: 'ECONNRESET' })
  t.deepEqual(
    (await deleteBoth()).Errors.map(({ Key, Code }) => [Key, Code]),
    [['a', 'AccessDenied']],
  )
  await server.configure({ requireContentMd5: true })
  await t.throwsAsync(deleteBoth(), { name: 'InvalidRequest' })
  await t.throwsAsync(server.configure({ latency: 1 }), { message: /refuses config: .*latency/ })
})

test('a server that can not start says why', async (t) => {
  await t.throwsAsync(startS3Server({ latencyList: -1 }), { message: /ended with code 1/ })
})
