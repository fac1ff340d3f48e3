// Certificates that are trusted, and what is said of those that are not.
import { readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import test from 'ava'
import { S3BulkClient } from 'ya-syn-native/s3'
import { certificates, configured, folder, listening, scripted } from './configured.mjs'

const options = { region: 'r', forcePathStyle: true, credentials: { accessKeyId: 'A', secretAccessKey: 'b' } }

const trusted = {
  'caBundle, a path': ({ ca }) => ({ options: { caBundle: ca } }),
  'caBundle, the text': ({ ca }) => ({ options: { caBundle: readFileSync(ca, 'utf8') } }),
  AWS_CA_BUNDLE: ({ ca }) => ({ env: { AWS_CA_BUNDLE: ca } }),
  'ca_bundle of the profile': ({ ca }) => ({ config: `[default]\nca_bundle = ${ca}\n` }),
  NODE_EXTRA_CA_CERTS: ({ ca }) => ({ env: { NODE_EXTRA_CA_CERTS: ca } }),
  'the option before a file of the environment that is not there': ({ ca }) => ({
    options: { caBundle: ca },
    env: { AWS_CA_BUNDLE: '/none/such' },
  }),
}
for (const [title, how] of Object.entries(trusted)) {
  test(`a store of one's own issuer is trusted by ${title}`, async (t) => {
    const made = certificates(t)
    const { url } = await scripted(t, undefined, made.good)
    const { options: more, ...rest } = how(made)
    t.deepEqual(await configured(t, { options: { ...options, endpoint: url, ...more }, ...rest }), { keys: [] })
  })
}

test('certificates may be given as bytes', (t) => {
  const { ca } = certificates(t)
  t.notThrows(() => new S3BulkClient({ caBundle: readFileSync(ca) }))
})

const faults = {
  'an unknown issuer': [({ good }) => ({ tls: good }), 'UntrustedCertificate', /issuer .* not trusted.*`caBundle`/],
  'an expired certificate': [
    ({ expired, ca }) => ({ tls: expired, caBundle: ca }),
    'UntrustedCertificate',
    /has expired/,
  ],
  'the certificate of another host': [
    ({ foreign, ca }) => ({ tls: foreign, caBundle: ca }),
    'UntrustedCertificate',
    /for another host.*`forcePathStyle`/,
  ],
  'https to a port without TLS': [() => ({ scheme: 'https' }), 'NotS3', /does not speak TLS.*http:\/\//],
}
for (const [title, [how, code, message]] of Object.entries(faults)) {
  test(`what no other try changes is told at once, with host and remedy: ${title}`, async (t) => {
    const { tls, scheme, ...more } = how(certificates(t))
    const { asked, port, url } = await scripted(t, undefined, tls)
    const endpoint = scheme ? `${scheme}://127.0.0.1:${port}` : url
    const got = await configured(t, { options: { ...options, endpoint, ...more } })
    t.is(got.code, code, got.message)
    t.regex(got.message, message)
    t.regex(got.message, new RegExp(`127\\.0\\.0\\.1:${port}.*bucket`))
    t.is(asked.length, 0)
  })
}

test('http to a port with TLS is told with the remedy, whether the port answers by an alert or hangs up', async (t) => {
  const port = await listening(
    t,
    net.createServer((socket) => socket.on('error', () => {}).end(Buffer.from([21, 3, 3, 0, 2, 2, 70]))),
  )
  const alert = await configured(t, { options: { ...options, endpoint: `http://127.0.0.1:${port}` } })
  t.is(alert.code, 'NotS3', alert.message)
  const { url } = await scripted(t, undefined, certificates(t).good)
  const closed = await configured(t, {
    options: { ...options, endpoint: url.replace('https', 'http'), maxAttempts: 1 },
  })
  t.is(closed.code, 'ConnectionError', 'it may pass')
  for (const { message } of [alert, closed])
    t.regex(message, /TLS, begin `endpoint` with https:.*127\.0\.0\.1:\d+.*bucket/)
})

test('a bundle that the environment or a profile names has to hold certificates, whatever the system trusts', async (t) => {
  const empty = path.join(folder(t), 'empty.pem')
  writeFileSync(empty, 'nothing')
  const endpoint = 'https://127.0.0.1:1'
  for (const name of ['AWS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS']) {
    const missing = await configured(t, { options: { ...options, endpoint }, env: { [name]: '/none/such' } })
    t.like(missing, { code: 'InvalidConfig' })
    t.regex(missing.message, new RegExp(`${name} names "/none/such", which can't be read.*bucket`))
    const without = await configured(t, { options: { ...options, endpoint }, env: { [name]: empty } })
    t.regex(without.message, new RegExp(`${name} names .*empty\\.pem", which holds no certificate`))
  }
  const ofProfile = await configured(t, {
    options: { ...options, endpoint },
    config: '[default]\nca_bundle = /none/such\n',
  })
  t.regex(ofProfile.message, /ca_bundle of the profile "default" names/)
})

test('a machine without certificates needs some, and trusts those that are given', async (t) => {
  const { ca, good } = certificates(t)
  const { url } = await scripted(t, undefined, good)
  const env = { SSL_CERT_FILE: '/none/such', SSL_CERT_DIR: '/none/such' }
  const none = await configured(t, { options: { ...options, endpoint: url }, env })
  t.is(none.code, 'InvalidConfig')
  t.regex(none.message, /no certificates.*`caBundle`.*bucket/)
  t.deepEqual(await configured(t, { options: { ...options, endpoint: url, caBundle: ca }, env }), { keys: [] })
})

test('the constructor refuses a bundle without certificates, by name', (t) => {
  const cases = [
    ['/none/such', /"\/none\/such" that caBundle names can't be read/],
    ['-----BEGIN CERTIFICATE-----\n', /caBundle holds/],
    [Buffer.from('x'), /caBundle holds no certificate/],
    [5, /caBundle must be the path/],
  ]
  for (const [caBundle, message] of cases) t.throws(() => new S3BulkClient({ caBundle }), { code: 'Invalid', message })
})
