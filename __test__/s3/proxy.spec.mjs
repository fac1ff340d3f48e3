// Proxies: of the options and of the environment.
import test from 'ava'
import { S3BulkClient } from 'ya-syn-native/s3'
import { certificates, configured, proxied, scripted } from './configured.mjs'

const credentials = { accessKeyId: 'A', secretAccessKey: 'b' }
const basic = (text) => `Basic ${Buffer.from(text).toString('base64')}`
const options = { endpoint: 'http://store.test:9000', forcePathStyle: true, region: 'r', credentials, maxAttempts: 1 }

/** Runs a client whose host exists only behind a proxy; `P` stands for that proxy. */
async function through(t, { env = {}, ...more }, { needs } = {}) {
  const store = await scripted(t)
  const proxy = await proxied(t, store.port, { needs })
  const fill = (value) => JSON.parse(JSON.stringify(value).replaceAll('P:', `127.0.0.1:${proxy.port}`))
  const got = await configured(t, { options: { ...options, ...fill(more) }, env: fill(env) })
  return { got, proxy, store }
}

const ways = {
  'the option': { proxy: 'http://P:' },
  'the option without a scheme': { proxy: 'P:' },
  'the option, although NO_PROXY speaks of the host': { proxy: 'http://P:', env: { NO_PROXY: '*' } },
  'the option before the environment': { proxy: 'http://P:', env: { http_proxy: 'http://127.0.0.1:1' } },
  http_proxy: { env: { http_proxy: 'http://P:' } },
  HTTP_PROXY: { env: { HTTP_PROXY: 'P:' } },
  'small letters before capitals': { env: { http_proxy: 'P:', HTTP_PROXY: 'http://127.0.0.1:1' } },
  'an empty variable is as none': { env: { http_proxy: '', HTTP_PROXY: 'P:' } },
  ALL_PROXY: { env: { ALL_PROXY: 'http://P:' } },
  all_proxy: { env: { all_proxy: 'http://P:', HTTPS_PROXY: 'http://127.0.0.1:1' } },
  'NO_PROXY of others': { env: { http_proxy: 'P:', NO_PROXY: 'other.test, tore.test,store.test:9001,10.0.0.0/8' } },
  'http_proxy in a CGI program': { env: { http_proxy: 'P:', REQUEST_METHOD: 'GET' } },
}
for (const [title, how] of Object.entries(ways)) {
  test(`requests go through the proxy of ${title}`, async (t) => {
    const { got, proxy, store } = await through(t, how)
    t.deepEqual(got, { keys: [] })
    t.regex(proxy.asked[0].url, /^http:\/\/store\.test:9000\/bucket/)
    t.is(store.asked[0].headers.host, 'store.test:9000')
  })
}

test('hosts that are numbers of IPv6 keep their brackets', async (t) => {
  const { got, proxy, store } = await through(t, { proxy: 'http://P:', endpoint: 'http://[2001:DB8::1]:9000/path' })
  t.deepEqual(got, { keys: [] })
  t.regex(proxy.asked[0].url, /^http:\/\/\[2001:db8::1\]:9000\/path\/bucket/)
  t.is(store.asked[0].headers.host, '[2001:db8::1]:9000')
})

const around = {
  'proxy: false': { proxy: false, env: { http_proxy: 'P:' } },
  'NO_PROXY with the host': { env: { http_proxy: 'P:', NO_PROXY: 'other.test,store.test' } },
  'no_proxy with a dot': { env: { http_proxy: 'P:', no_proxy: '.test' } },
  'NO_PROXY with a star': { env: { http_proxy: 'P:', NO_PROXY: '*' } },
  'NO_PROXY with a wildcard': { env: { http_proxy: 'P:', NO_PROXY: '*.test' } },
  'NO_PROXY with the port': { env: { http_proxy: 'P:', NO_PROXY: 'store.test:9000' } },
  'another scheme': { env: { HTTPS_PROXY: 'P:' } },
  'HTTP_PROXY in a CGI program, where it is a header of whoever asks': {
    env: { HTTP_PROXY: 'P:', REQUEST_METHOD: 'GET' },
  },
}
for (const [title, how] of Object.entries(around)) {
  test(`no proxy is asked: ${title}`, async (t) => {
    const { got, proxy } = await through(t, how)
    t.is(got.code, 'ConnectionError', 'the host does not exist')
    t.regex(got.message, /store\.test:9000.*bucket/)
    t.is(proxy.asked.length, 0)
  })
}

for (const [title, env] of [
  ['loopback', {}],
  ['a network of NO_PROXY', { NO_PROXY: '127.0.0.0/8' }],
]) {
  test(`the proxy of the environment is not asked for ${title}`, async (t) => {
    const store = await scripted(t)
    t.deepEqual(
      await configured(t, {
        options: { ...options, endpoint: store.url },
        env: { http_proxy: 'http://127.0.0.1:1', ...env },
      }),
      { keys: [] },
    )
  })
}

test('a proxy gets the user and password of its URL, and the store does not', async (t) => {
  const { got, proxy, store } = await through(
    t,
    { proxy: 'http://us%40er:hu%3Ash@P:' },
    { needs: basic('us@er:hu:sh') },
  )
  t.deepEqual(got, { keys: [] })
  t.is(proxy.asked[0].authorization, basic('us@er:hu:sh'))
  t.false('proxy-authorization' in store.asked[0].headers)
})

test('a proxy that wants another password is an error at once, which names the option and no password', async (t) => {
  const { got, proxy } = await through(
    t,
    { proxy: 'http://user:hush@P:', maxAttempts: 5 },
    { needs: basic('user:right') },
  )
  t.is(got.code, 'InvalidConfig')
  t.regex(got.message, /proxy asks for a user.*store\.test.*proxy http:\/\/127\.0\.0\.1:\d+.*bucket/)
  t.notRegex(got.message, /hush/)
  t.is(proxy.asked.length, 1)
})

test('a proxy that is not there is named', async (t) => {
  const got = await configured(t, { options: { ...options, proxy: 'http://user:hush@127.0.0.1:1' } })
  t.is(got.code, 'ConnectionError')
  t.regex(got.message, /refused.*store\.test:9000, proxy http:\/\/127\.0\.0\.1:1/)
  t.regex(got.message, /check .* `proxy`/)
  t.notRegex(got.message, /hush/)
})

test('a proxy that does not connect to the store is told from a store that is not there', async (t) => {
  const proxy = await scripted(t, () => ({ status: 502 }))
  const url = `http://127.0.0.1:${proxy.port}`
  const got = await configured(t, { options: { ...options, endpoint: 'https://store.test', proxy: url } })
  t.is(got.code, 'ConnectionError')
  t.regex(got.message, /the proxy does not connect to the store.*store\.test, proxy http:/)
})

test('https goes through a tunnel, of the option or of HTTPS_PROXY, and back to the right host', async (t) => {
  const { ca, good } = certificates(t)
  const store = await scripted(t, undefined, good)
  const proxy = await proxied(t, store.port, { needs: basic('user:hush') })
  const url = `http://user:hush@127.0.0.1:${proxy.port}`
  const secure = { ...options, endpoint: 'https://store.test', caBundle: ca }
  t.deepEqual(await configured(t, { options: { ...secure, proxy: url } }), { keys: [] })
  t.deepEqual(await configured(t, { options: secure, env: { HTTPS_PROXY: url } }), { keys: [] })
  t.deepEqual(
    proxy.asked.map(({ url }) => url),
    ['CONNECT store.test:443', 'CONNECT store.test:443'],
  )
  const wrong = await configured(t, { options: { ...secure, proxy: url.replace('hush', 'hash'), maxAttempts: 5 } })
  t.is(wrong.code, 'InvalidConfig')
  t.regex(wrong.message, /proxy asks for a user/)
  t.is(proxy.asked.length, 3, 'it is not tried again')
})

for (const proxy of ['socks5://h', 'ftp://h', '', 'http://h/path', 'http://a b', 5, true]) {
  test(`the constructor refuses the proxy ${JSON.stringify(proxy)}`, (t) => {
    t.throws(() => new S3BulkClient({ proxy }), { code: 'Invalid', message: /proxy must be a URL/ })
  })
}
