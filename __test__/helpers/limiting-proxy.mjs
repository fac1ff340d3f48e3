// A proxy before a store that refuses large bodies, as web servers do.
import { createServer, request } from 'node:http'
import { once } from 'node:events'

/**
 * Starts a proxy to `port` of the loopback address. A body of more than `limit` bytes is answered 413, or with `cut` the
 * connection is closed. `bodies` are the sizes that came.
 */
export async function startLimitingProxy({ port, limit, cut = false }) {
  const bodies = []
  const server = createServer((incoming, outgoing) => {
    const chunks = []
    incoming.on('data', (chunk) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      bodies.push(body.length)
      if (body.length > limit) {
        if (cut) incoming.socket.destroy()
        else outgoing.writeHead(413, { 'content-type': 'text/html' }).end('<html>413 Request Entity Too Large</html>')
        return
      }
      const { method, url: path, headers } = incoming
      const forwarded = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode, answer.headers)
        answer.pipe(outgoing)
      })
      forwarded.on('error', () => outgoing.destroy())
      forwarded.end(body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${server.address().port}`,
    bodies,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
