// A store for the tests of one file, and a client of it.
import { startS3Server } from '../../tools/s3-server/start.mjs'
import { S3BulkClient } from 'ya-syn-native/s3'

export { sleep, waitUntil } from '../helpers/async.mjs'
export const Bucket = 'bucket'

/**
 * Starts the server before the tests of a file, makes it as new before each of them, and ends it after all. They run one
 * after the other. Each has `server`, `client`, and `open(config)` for more clients, in its context.
 */
export function withStore(test) {
  let server
  test.before(async () => {
    server = await startS3Server()
  })
  test.beforeEach(async (t) => {
    await server.reset()
    const clients = []
    const open = (config) => {
      const client = new S3BulkClient({ ...clientConfig(server), ...config })
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

/** What a client of the server is made with. */
export function clientConfig({ endpoint, credentials }) {
  return { endpoint, region: 'us-east-1', forcePathStyle: true, credentials }
}

/** All tasks of the pages, in order. */
export async function flat(source) {
  const all = []
  for await (const { task } of source) all.push(...task)
  return all
}

/** All keys of the bucket, in order. */
export function keysOf(client, options = {}) {
  return flat(client.listKeys({ Bucket, parallelListing: 1, ...options }))
}

/** All versions and markers of the bucket. */
export function versionsOf(client, options = {}) {
  return flat(client.listObjectVersions({ Bucket, parallelListing: 1, ...options }))
}

/** How many requests of this kind the server has seen. */
export async function requests(server, operation) {
  return (await server.stats()).requests.byOperation[operation] ?? 0
}

/** In the order of their bytes. */
export function sorted(keys) {
  return [...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
}

/** Numbered keys: `name(0)`, `name(1)`, ... */
export function numbered(count, name) {
  return Array.from({ length: count }, (_, i) => name(i))
}
