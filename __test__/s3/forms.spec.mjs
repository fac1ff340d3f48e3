// Answers as servers and proxies may send them, in each form that HTTP knows, and in some that never end.
import test from 'ava'
import { S3BulkClient } from 'ya-syn-native/s3'
import { startRawStore } from '../helpers/raw-store.mjs'
import { startScriptedStore } from '../helpers/scripted-store.mjs'
import { clientConfig } from './store.mjs'

const Bucket = 'bucket'
const KEYS = ['p/a', 'p/b', 'p/c', 'q']

async function deleted(t, store, config, options) {
  const client = new S3BulkClient({ ...clientConfig(store), ...config })
  t.teardown(async () => {
    await client.close()
    await store.stop()
  })
  return client.deletePrefix({ Bucket, Prefix: 'p/', ...options })
}

const chunked = (body) => [...body].map((letter) => `1;x=1\r\n${letter}\r\n`).join('')
const forms = {
  'HTTP/1.0 that ends with the connection': (socket, { status, body }) =>
    socket.end(`HTTP/1.0 ${status} OK\r\n\r\n${body}`),
  'HTTP/1.0 with a length': (socket, { status, text }) => socket.end(`HTTP/1.0 ${status} OK\r\n${text}`),
  'a connection for each answer': (socket, { status, text }) =>
    socket.end(`HTTP/1.1 ${status} OK\r\nConnection: close\r\n${text}`),
  'a connection that is reset once it is idle': (socket, { status, text }) =>
    socket.write(`HTTP/1.1 ${status} OK\r\n${text}`, () => setImmediate(() => socket.resetAndDestroy())),
  'chunks of one byte, with extensions and a trailer': (socket, { status, body, text }) =>
    socket.write(
      body === ''
        ? `HTTP/1.1 ${status} OK\r\n${text}`
        : `HTTP/1.1 ${status} OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(body)}0\r\nx-trailer: 1\r\n\r\n`,
    ),
  '100 Continue and hints before it': (socket, { status, text }) =>
    socket.write(
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 ${status} OK\r\n${text}`,
    ),
  'headers in capitals, and bytes that are no ASCII in one': (socket, { status, text }) =>
    socket.write(
      Buffer.from(
        `HTTP/1.1 ${status} OK\r\nCONTENT-TYPE: APPLICATION/XML\r\nX-WHAT: \xe9\r\n${text.replace('Content-Length', 'CONTENT-LENGTH')}`,
        'latin1',
      ),
    ),
  'the same length twice': (socket, { status, body, text }) =>
    socket.write(`HTTP/1.1 ${status} OK\r\nContent-Length: ${body.length}\r\n${text}`),
}

for (const [name, write] of Object.entries(forms)) {
  for (const deleteMode of ['auto', 'single']) {
    test(`answers are read as ${name}, to deletes in mode ${deleteMode}`, async (t) => {
      const store = await startRawStore(KEYS, write)
      const counts = await deleted(t, store, { deleteMode })
      t.is(counts.deleted, 3)
      t.deepEqual(store.left(), ['q'])
    })
  }
}

test('an answer that has no end is an error before it fills the memory', async (t) => {
  const part = `10000\r\n${' '.repeat(0x10000)}\r\n`
  let sent = 0
  const store = await startRawStore(KEYS, (socket, { status }) => {
    socket.write(`HTTP/1.1 ${status} OK\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const more = (error) => {
      if (error || socket.destroyed) return
      sent += part.length
      // The socket has to find out that nobody reads any more.
      socket.write(part, () => setImmediate(more))
    }
    more()
  })
  const error = await t.throwsAsync(deleted(t, store, { maxAttempts: 1, requestTimeout: 0 }))
  t.is(error.code, 'MalformedAnswer')
  t.regex(error.message, /larger than any of S3.*127\.0\.0\.1.*bucket/)
  t.true(sent < 256 << 20, `${sent} bytes`)
  t.deepEqual(store.left(), KEYS)
})

test('a listing of versions goes on behind a marker that is not encoded as its keys are', async (t) => {
  // Decoded, the first one would be p/az, behind all others; the second one would come again.
  const keys = ['p/a%7A', 'p/ab', 'p/a+b', 'p/a b', 'p/b%zz', 'p/c'].map((key) => [key, 'v'])
  const answer = (_, { fields, contents }) => {
    if (fields.NextKeyMarker !== undefined)
      fields.NextKeyMarker = decodeURIComponent(contents.at(-1).Key.replaceAll('+', '%20'))
  }
  const store = await startScriptedStore({ keys, answer })
  const counts = await deleted(t, store, {}, { versions: true, MaxKeys: 1, parallelListing: 1 })
  t.is(counts.deleted, keys.length)
  t.deepEqual(store.left(), [])
})

test('a StartAfter that comes before the prefix leaves nothing out, on a store that finds nothing behind it', async (t) => {
  const answer = ({ query }, page) => {
    const after = query['start-after'] ?? query['key-marker']
    if (after !== undefined && !after.startsWith(query.prefix)) page.contents.length = 0
  }
  for (const versions of [false, true]) {
    const keys = versions ? KEYS.map((key) => [key, 'v']) : KEYS
    const store = await startScriptedStore({ keys, answer })
    const counts = await deleted(t, store, {}, { StartAfter: 'o/z', versions })
    t.is(counts.deleted, 3)
  }
})
