// A store for the tests of one file, and a client of it.
import { startS3Server } from '../../tools/s3-server/start.mjs'
import { S3BulkClient } from 'ya-syn-native/s3'

export const Bucket = 'bucket'

/** Starts the server before the tests of a file, empties it before each of them, and ends it after all. */
export function withStore(test) {
  let server
  test.before(async () => {
    server = await startS3Server()
  })
  test.beforeEach(async (t) => {
    await server.reset()
    await server.faults([])
    await server.configure({
      latencyList: 0, latencyDelete: 0, latencyPerKey: 0, keysPerSecondPerPrefix: null, maxInFlightPerPrefix: null, prefixLength: 0,
      requireContentMd5: false, requireChecksum: false, refuseChecksums: false, noMultiDelete: null, ignoreQuiet: false,
      ignoreEncodingType: false, prettyXml: false, idleTimeout: null,
    })
    const clients = []
    const open = (config) => {
      const client = new S3BulkClient({
        endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true, credentials: server.credentials, ...config,
      })
      clients.push(client)
      return client
    }
    Object.assign(t.context, { server, open, clients, client: open() })
  })
  test.afterEach.always(async (t) => {
    await Promise.all(t.context.clients.map((client) => client.close()))
  })
  test.after.always(() => server?.stop())
}

/** All keys of the bucket, in order. */
export async function keysOf(client, options = {}) {
  const keys = []
  for await (const { task } of client.listKeys({ Bucket, parallelListing: 1, ...options })) keys.push(...task)
  return keys
}

/** Polls until `condition()` holds. */
export async function until(condition) {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}
