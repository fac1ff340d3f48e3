// Clients in processes whose environment is known to the last variable, and the servers and files that they need.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

const outside = /^(AWS_|HTTPS?_PROXY|ALL_PROXY|NO_PROXY|REQUEST_METHOD|NODE_EXTRA_CA_CERTS|SSL_CERT_)/i

/** An empty folder that is gone after the test. */
export function folder(t) {
  const name = mkdtempSync(path.join(tmpdir(), 'ya-syn-s3-'))
  t.teardown(() => rmSync(name, { recursive: true }))
  return name
}

/** What a client comes to in a process of its own: `does` is as in the fixture, and the files are those of the home directory. */
export async function configured(t, { env = {}, config, credentials, ...does }) {
  const home = folder(t)
  mkdirSync(path.join(home, '.aws'))
  for (const [name, contents] of Object.entries({ config, credentials })) {
    if (contents !== undefined) writeFileSync(path.join(home, '.aws', name), contents)
  }
  const none = Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => outside.test(name))
      .map((name) => [name, undefined]),
  )
  const run = await runFixture('../s3/fixtures/configured.mjs', {
    args: [JSON.stringify({ ...does, config: does.options })],
    env: { ...none, HOME: home, USERPROFILE: home, AWS_EC2_METADATA_DISABLED: 'true', ...env },
  })
  assertCleanEnd(t, run)
  t.notRegex(run.stderr, /panicked/)
  t.not(run.result.code, 'Panic')
  return run.result
}

const emptyListing = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'

/** A server that answers every request by `answer`, and keeps what was asked. Without one, each listing is empty. */
export async function scripted(t, answer = () => ({ body: emptyListing }), tls) {
  const asked = []
  const handler = (request, response) => {
    const { authorization = '' } = request.headers
    const [, key, region] = /Credential=([^/]*)\/\d+\/([^/]*)/.exec(authorization) ?? []
    const seen = {
      path: request.url,
      key,
      region,
      token: request.headers['x-amz-security-token'],
      headers: request.headers,
    }
    asked.push(seen)
    request.resume().on('end', () => {
      const { status = 200, headers = {}, body = '' } = answer(seen, asked.length)
      response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body)
    })
  }
  const server = tls ? https.createServer(tls, handler) : http.createServer(handler)
  const port = await listening(t, server)
  return { asked, port, url: `http${tls ? 's' : ''}://127.0.0.1:${port}` }
}

/** Starts a server on loopback, which ends with the test. Returns its port. */
export async function listening(t, server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections?.()
    server.close()
  })
  return server.address().port
}

/** A proxy that sends everything to `target`, whatever the host is, and keeps what was asked. */
export async function proxied(t, target, { needs } = {}) {
  const asked = []
  const server = http.createServer((request, response) => {
    asked.push({ url: request.url, authorization: request.headers['proxy-authorization'] })
    if (needs && request.headers['proxy-authorization'] !== needs)
      return void response.writeHead(407, { 'content-length': 0 }).end()
    const { pathname, search } = new URL(request.url)
    const { 'proxy-authorization': _, ...headers } = request.headers
    const onward = http.request(
      { port: target, host: '127.0.0.1', method: request.method, path: pathname + search, headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers)
        answer.pipe(response)
      },
    )
    request.pipe(onward)
  })
  server.on('connect', (request, socket) => {
    asked.push({ url: `CONNECT ${request.url}`, authorization: request.headers['proxy-authorization'] })
    if (needs && request.headers['proxy-authorization'] !== needs)
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const onward = net.connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    for (const one of [socket, onward]) one.on('error', () => {})
    t.teardown(() => onward.destroy())
  })
  const port = await listening(t, server)
  return { asked, port, url: `http://127.0.0.1:${port}` }
}

/** Certificates that openssl makes: `ca` (a path), and for servers `good`, `expired` and `foreign` (another host's). */
export function certificates(t) {
  const at = folder(t)
  const file = (name) => path.join(at, name)
  const openssl = (...args) => execFileSync('openssl', args, { stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    file('ca.key'),
    '-out',
    file('ca.pem'),
    '-subj',
    '/CN=test-ca',
    '-days',
    '2',
  )
  const make = (name, hosts, days) => {
    writeFileSync(file('names'), `subjectAltName=${hosts}`)
    openssl('req', ...key, '-keyout', file(`${name}.key`), '-out', file('request'), '-subj', '/CN=store')
    openssl(
      'x509',
      '-req',
      '-in',
      file('request'),
      '-CA',
      file('ca.pem'),
      '-CAkey',
      file('ca.key'),
      '-CAcreateserial',
      '-days',
      days,
      '-extfile',
      file('names'),
      '-out',
      file(`${name}.pem`),
    )
    return { key: readFileSync(file(`${name}.key`)), cert: readFileSync(file(`${name}.pem`)) }
  }
  const hosts = 'DNS:localhost,DNS:store.test,DNS:*.store.test,IP:127.0.0.1'
  return {
    ca: file('ca.pem'),
    good: make('good', hosts, '2'),
    expired: make('expired', hosts, '-1'),
    foreign: make('foreign', 'DNS:other.test', '2'),
  }
}
