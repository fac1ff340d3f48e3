// A small S3 store in this process that answers as a test says: for what a real store, and the test server, would never tell.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { encodeForm } from './encodings.mjs'

/**
 * Starts a store of these keys, or of versions as `[key, version]`. `answer(request, page)` is given each listing, and the page that
 * an honest store would send: it changes the page, or returns a body, or `null` to leave the request without an answer.
 *
 * @param {{ keys?: (string | [string, string])[], answer?: (request: any, page: any) => any, encode?: (key: string) => string }} options
 */
export async function startScriptedStore({ keys = [], answer = () => {}, encode = encodeForm } = {}) {
  /** What is there, by key and version. */
  const stored = new Map(keys.map((key) => (Array.isArray(key) ? [key.join('@'), key] : [key, [key]])))
  /** Every request: `list`, `versions`, `delete` or `other`, with its query. */
  const requests = []

  const server = createServer(async (message, response) => {
    const url = new URL(message.url, 'http://store')
    const query = Object.fromEntries(url.searchParams)
    let body = ''
    for await (const part of message) body += part
    const kind = kindOf(message.method, query)
    const request = {
      kind,
      query,
      path: url.pathname,
      method: message.method,
      number: requests.filter((one) => one.kind === kind).length,
    }
    requests.push(request)
    if (kind === 'delete') {
      const objects = [...body.matchAll(/<Object>(.*?)<\/Object>/gs)].map(([, object]) => object)
      for (const object of objects)
        stored.delete([textOf(object, 'Key'), textOf(object, 'VersionId')].filter(Boolean).join('@'))
      // What an answer does not name was not deleted.
      response.end(`<DeleteResult>${objects.map((object) => `<Deleted>${object}</Deleted>`).join('')}</DeleteResult>`)
      return
    }
    if (kind === 'other') {
      response.writeHead(501).end()
      return
    }
    const page = pageOf(stored, request, encode)
    const said = answer(request, page)
    if (said === null) return
    if (typeof said === 'object' && said.status) response.writeHead(said.status).end(said.body)
    else response.end(said ?? writePage(page))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${server.address().port}`,
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    requests,
    /** The keys that are left, or versions as `key@version`. */
    left: () => [...stored.keys()],
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function kindOf(method, query) {
  if (method === 'POST' && 'delete' in query) return 'delete'
  if (method !== 'GET') return 'other'
  return 'versions' in query ? 'versions' : 'list'
}

function pageOf(stored, { kind, query }, encode) {
  const after = query['continuation-token'] ?? query['start-after'] ?? query['key-marker'] ?? ''
  const { prefix = '', delimiter } = query
  const entries = [...stored.values()]
    .filter(([key]) => key.startsWith(prefix) && compare(key, after) > 0)
    .sort(([one], [other]) => compare(one, other))
  const max = Number(query['max-keys'] ?? 1000)
  const names = []
  const prefixes = new Set()
  let last = ''
  for (const [key, version] of entries) {
    if (names.length + prefixes.size === max) break
    const end = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length)
    last = key
    if (end < 0) names.push([key, version])
    else prefixes.add(key.slice(0, end + 1))
  }
  const isTruncated = entries.length > 0 && compare(entries.at(-1)[0], last) > 0
  const fields = { Name: 'bucket', Prefix: encode(prefix), EncodingType: 'url', IsTruncated: String(isTruncated) }
  if (isTruncated && kind === 'list') fields.NextContinuationToken = last
  if (isTruncated && kind === 'versions') fields.NextKeyMarker = encode(last)
  const contents = names.map(([key, version]) => ({
    Key: encode(key),
    ...(version === undefined ? {} : { VersionId: version }),
    Size: '1',
  }))
  return {
    root: kind === 'list' ? 'ListBucketResult' : 'ListVersionsResult',
    fields,
    entry: kind === 'list' ? 'Contents' : 'Version',
    contents,
    prefixes: [...prefixes].map(encode),
  }
}

function writePage({ root, fields, entry, contents, prefixes }) {
  const write = (one) =>
    Object.entries(one)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `<${name}>${escape(value)}</${name}>`)
      .join('')
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${write(fields)}` +
    contents.map((one) => `<${entry}>${write(one)}</${entry}>`).join('') +
    prefixes.map((Prefix) => `<CommonPrefixes>${write({ Prefix })}</CommonPrefixes>`).join('') +
    `</${root}>`
  )
}

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const textOf = (xml, name) =>
  xml
    .match(new RegExp(`<${name}>(.*?)</${name}>`, 's'))?.[1]
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
const compare = (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))
