// A store that writes its answers to the socket itself: for forms of HTTP that Node.js's own server never sends.
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Starts a store of these keys that lists and deletes them. `write(socket, { status, body, text })` sends each answer; `text` is `body` with
 * its length, without a status line.
 */
export async function startRawStore(keys, write) {
  const left = new Set(keys)
  const sockets = new Set()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let data = Buffer.alloc(0)
    socket.on('data', (part) => {
      data = Buffer.concat([data, part])
      const end = data.indexOf('\r\n\r\n') + 4
      if (end < 4) return
      const head = data.toString('latin1', 0, end)
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
      if (data.length < end + length) return
      const request = data.toString('utf8', end, end + length)
      data = data.subarray(end + length)
      const { status, body } = answer(left, head, request)
      write(socket, { status, body, text: `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}` })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${server.address().port}`,
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    left: () => [...left],
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function answer(left, head, request) {
  const [method, target] = head.split(' ')
  const { pathname, searchParams } = new URL(target, 'http://store')
  if (method === 'DELETE') {
    left.delete(pathname.split('/').slice(2).join('/'))
    return { status: 204, body: '' }
  }
  if (method === 'POST') {
    const keys = [...request.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key]) => key)
    for (const key of keys) left.delete(key)
    return {
      status: 200,
      body: `<DeleteResult>${keys.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join('')}</DeleteResult>`,
    }
  }
  const keys = [...left].filter(
    (key) => key.startsWith(searchParams.get('prefix')) && key > (searchParams.get('start-after') ?? ''),
  )
  const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
  return {
    status: 200,
    body: `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`,
  }
}
