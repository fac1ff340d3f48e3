// What errors say of answers that are none of S3, and of hosts that do not answer.
import test from 'ava'
import { S3BulkClient } from 'ya-syn-native/s3'
import { configured, scripted } from './configured.mjs'
import { Bucket, keysOf } from './store.mjs'

const credentials = { accessKeyId: 'A', secretAccessKey: 'b' }
const open = (t, config) => {
  const client = new S3BulkClient({ region: 'us-east-1', forcePathStyle: true, credentials, proxy: false, ...config })
  t.teardown(() => client.close())
  return client
}
const html = { 'content-type': 'text/html' }
const page = '<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Please log in</h1></body></html>'

// title: what is answered, the code, the text
const answers = {
  'a page that forbids': [
    { status: 403, headers: html, body: page },
    'Http403',
    /403 Forbidden with an HTML page: "Sign in Please log in"/,
  ],
  'a redirect to a login': [
    { status: 302, headers: { location: 'https://login.test/in?token=hush' } },
    'NotS3',
    /redirect.*302 Found.*https:\/\/login\.test\/in.*`endpoint`/,
  ],
  'a login page': [{ headers: html, body: page }, 'NotS3', /200 with an HTML page: "Sign in.*`endpoint`/],
  'another region, by its header alone': [
    { status: 301, headers: { 'x-amz-bucket-region': 'eu-west-1' } },
    'WrongRegion',
    /region 'eu-west-1'.*`region`/,
  ],
  'another region, for a while': [
    { status: 307, headers: { 'x-amz-bucket-region': 'eu-west-1', location: 'https://x.test/' } },
    'WrongRegion',
    /'eu-west-1'/,
  ],
  'another region, in the document': [
    {
      status: 400,
      body: '<Error><Code>AuthorizationHeaderMalformed</Code><Message>wrong</Message><Region>eu-west-1</Region></Error>',
    },
    'WrongRegion',
    /'eu-west-1'.*wrong/,
  ],
  'another endpoint, in the document': [
    {
      status: 301,
      body: '<Error><Code>PermanentRedirect</Code><Message>moved</Message><Endpoint>b.s3.test</Endpoint></Error>',
    },
    'PermanentRedirect',
    /moved.*b\.s3\.test/,
  ],
  'another region, by a store that has a region like no other': [
    { status: 301, headers: { 'x-amz-bucket-region': '"><b>' } },
    'NotS3',
    /301 Moved Permanently without a body/,
  ],
  'an error without a body': [{ status: 413 }, 'Http413', /413 Payload Too Large without a body/],
  'a text': [{ status: 404, body: 'no such route\n' }, 'Http404', /404 Not Found with a text: "no such route"/],
  JSON: [{ status: 401, body: '{"error":"unauthorized"}' }, 'Http401', /401 Unauthorized with JSON: .*unauthorized/],
  'a port that wants TLS': [
    { status: 400, body: 'Client sent an HTTP request to an HTTPS server.\n' },
    'NotS3',
    /wants TLS.*https:\/\//,
  ],
  'an error that says nothing': [
    { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' },
    'AccessDenied',
    /^AccessDenied: \S+/,
  ],
}
for (const [title, [answer, code, message]] of Object.entries(answers)) {
  test(`an error says what was answered, and by whom: ${title}`, async (t) => {
    const { asked, url } = await scripted(t, () => answer)
    const error = await t.throwsAsync(keysOf(open(t, { endpoint: url })), { code })
    t.regex(error.message, message)
    t.true(error.message.includes(url) && error.message.includes(`bucket "${Bucket}"`), error.message)
    t.notRegex(error.message, /hush/)
    t.is(asked.length, 1, 'it is not tried again')
  })
}

test('what is wrong with a deletion is told for each of its keys in the same words', async (t) => {
  const { url } = await scripted(t, () => ({ status: 403, headers: html, body: page }))
  const error = await t.throwsAsync(open(t, { endpoint: url }).deleteObjects({ Bucket })({ task: ['a', 'b'] }), {
    code: 'Http403',
  })
  for (const { message } of error.failed) t.regex(message, /Sign in Please log in.*127\.0\.0\.1.*bucket/)
})

test('a wrong region ends a job of many deletions at once', async (t) => {
  const listing = `<ListBucketResult><IsTruncated>false</IsTruncated>${Array.from({ length: 50 }, (_, i) => `<Contents><Key>${i}</Key><Size>0</Size></Contents>`).join('')}</ListBucketResult>`
  const moved = { status: 301, headers: { 'x-amz-bucket-region': 'eu-west-1' } }
  const { asked, url } = await scripted(t, ({ path }) => (path.includes('list-type') ? { body: listing } : moved))
  const client = open(t, { endpoint: url, deleteMode: 'checksum' })
  await t.throwsAsync(
    client.deletePrefix({ Bucket, all: true, batchSize: 1, maxTasksInExecution: 1, parallelListing: 1 }),
    { code: 'WrongRegion', message: /'eu-west-1'/ },
  )
  t.true(asked.length < 6, `${asked.length} requests`)
})

test('a host that refuses, or that nobody knows, is named with its port, and tried again as it may come back', async (t) => {
  for (const [endpoint, message] of [
    ['http://127.0.0.1:1', /refused.*check host and port/i],
    ['http://no-such-host.invalid:9000', /`forcePathStyle`/],
  ]) {
    const error = await t.throwsAsync(keysOf(open(t, { endpoint, maxAttempts: 2 })), {
      code: 'ConnectionError',
      message,
    })
    t.true(error.message.includes(endpoint) && error.message.includes('bucket "bucket"'), error.message)
  }
})

for (const [title, bucket] of [
  ['an ARN that is none', 'arn:aws:s3:::'],
  ['an ARN of another service', 'arn:aws:sns:us-east-1:123456789012:topic'],
]) {
  test(`a bucket that no request can be made for is an error at once: ${title}`, async (t) => {
    const got = await configured(t, { bucket, options: { region: 'us-east-1', credentials } })
    t.is(got.code, 'InvalidConfig', got.message)
    t.true(got.message.includes(`bucket "${bucket}"`), got.message)
  })
}
