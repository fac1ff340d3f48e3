// The bucket that the ways of this group empty: on the test server of this repository, with the latency of a store far
// away. It is filled anew before each sample, and listed afterwards.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { startS3Server } from '../../../../tools/s3-server/start.mjs'

// Which Node.js versions the SDK will support one day is no news from a benchmark.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'

const LATENCY = { latencyList: 40, latencyDelete: 100 }
const target = { Bucket: 'bench', Prefix: 'data/' }

/** The folder is for the configuration of commands. */
const bucket = {
  setup: async () => ({ server: await startS3Server(LATENCY), folder: mkdtempSync(join(tmpdir(), 'ya-syn-bench-')) }),
  async teardown({ server, folder }) {
    rmSync(folder, { recursive: true, force: true })
    await server.stop()
  },
}

const fill = async (server, keys) => {
  await server.reset()
  await server.seed({ bucket: target.Bucket, ...keys })
  await server.reset({ only: 'stats' })
}

const checkEmpty = async ({ endpoint, credentials }) => {
  const client = new S3Client({ region: 'us-east-1', endpoint, credentials, forcePathStyle: true })
  const { KeyCount, IsTruncated } = await client.send(new ListObjectsV2Command({ Bucket: target.Bucket }))
  client.destroy()
  if (KeyCount > 0) throw new Error(`${KeyCount}${IsTruncated ? ' and more' : ''} keys are left in the bucket`)
}

export { LATENCY, bucket, checkEmpty, fill, target }
