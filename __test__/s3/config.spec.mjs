// What a client is made from: options, environment and profile, and what of them is refused.
import test from 'ava'
import { configured, scripted } from './configured.mjs'

const keys = (name) => ({ AWS_ACCESS_KEY_ID: name, AWS_SECRET_ACCESS_KEY: 'secret' })
const given = { accessKeyId: 'OPTION', secretAccessKey: 'secret' }
const ofProfile = (name, more = '') =>
  `[${name}]\naws_access_key_id = ${name.toUpperCase()}\naws_secret_access_key = secret\n${more}`

/** What is said where, and which of it counts. `U` stands for the server. */
const precedence = [
  // title, options, environment, config file, credentials file: key, region, path, token
  [
    'options alone',
    { endpoint: 'U/option', region: 'r-option', credentials: { ...given, sessionToken: 't-option' } },
    {},
    '',
    '',
    ['OPTION', 'r-option', '/option', 't-option'],
  ],
  [
    'options before environment and profile',
    { endpoint: 'U/option', region: 'r-option', credentials: given },
    { ...keys('ENV'), AWS_SESSION_TOKEN: 't-env', AWS_REGION: 'r-env', AWS_ENDPOINT_URL: 'U/env' },
    '[default]\nregion = r-default\nendpoint_url = U/default\n',
    ofProfile('default'),
    ['OPTION', 'r-option', '/option', undefined],
  ],
  [
    'a named profile before the environment',
    { profile: 'other' },
    {
      ...keys('ENV'),
      AWS_SESSION_TOKEN: 't-env',
      AWS_REGION: 'r-env',
      AWS_ENDPOINT_URL: 'U/env',
      AWS_ENDPOINT_URL_S3: 'U/env',
    },
    '[profile other]\nregion = r-other\nendpoint_url = U/other\n',
    ofProfile('other', 'aws_session_token = t-other\n'),
    ['OTHER', 'r-other', '/other', 't-other'],
  ],
  [
    'AWS_PROFILE does not come before keys, region and endpoint of the environment',
    {},
    { ...keys('ENV'), AWS_PROFILE: 'other', AWS_REGION: 'r-env', AWS_ENDPOINT_URL: 'U/env' },
    '[profile other]\nregion = r-other\nendpoint_url = U/other\n',
    ofProfile('other'),
    ['ENV', 'r-env', '/env', undefined],
  ],
  [
    'AWS_PROFILE for what the environment does not say',
    {},
    { AWS_PROFILE: 'other' },
    '[profile other]\nregion = r-other\nendpoint_url = U/other\n',
    ofProfile('other'),
    ['OTHER', 'r-other', '/other', undefined],
  ],
  [
    'the default profile',
    {},
    {},
    '[default]\nregion = r-default\nendpoint_url = U/default\n',
    ofProfile('default'),
    ['DEFAULT', 'r-default', '/default', undefined],
  ],
  [
    'keys given, the rest of a named profile',
    { profile: 'other', credentials: given },
    keys('ENV'),
    '[profile other]\nregion = r-other\nendpoint_url = U/other\n',
    ofProfile('other'),
    ['OPTION', 'r-other', '/other', undefined],
  ],
  [
    'the region of the profile for an endpoint that is given',
    { profile: 'other', endpoint: 'U/option' },
    {},
    '[profile other]\nregion = r-other\n',
    ofProfile('other'),
    ['OTHER', 'r-other', '/option', undefined],
  ],
  [
    'the region of the default profile for an endpoint that is given',
    { endpoint: 'U/option' },
    {},
    '[default]\nregion = r-default\n',
    ofProfile('default'),
    ['DEFAULT', 'r-default', '/option', undefined],
  ],
  [
    'a region of the environment where the named profile has none',
    { profile: 'other', endpoint: 'U/option' },
    { AWS_DEFAULT_REGION: 'r-env' },
    '',
    ofProfile('other'),
    ['OTHER', 'r-env', '/option', undefined],
  ],
  [
    'us-east-1 for a store that has none',
    { endpoint: 'U/option' },
    keys('ENV'),
    '',
    '',
    ['ENV', 'us-east-1', '/option', undefined],
  ],
  [
    'source_profile, as far as the chain goes',
    { profile: 'chained', endpoint: 'U/option', credentials: given },
    {},
    '[profile chained]\nsource_profile = other\n[profile other]\nregion = r-other\n',
    '',
    ['OPTION', 'r-other', '/option', undefined],
  ],
  [
    'the services section before the profile',
    { profile: 'other' },
    { AWS_ENDPOINT_URL_S3: 'U/env' },
    '[profile other]\nregion = r-other\nendpoint_url = U/other\nservices = mine\n[services mine]\ns3 =\n  endpoint_url = U/services\n',
    ofProfile('other'),
    ['OTHER', 'r-other', '/services', undefined],
  ],
  [
    'AWS_ENDPOINT_URL_S3 before AWS_ENDPOINT_URL',
    {},
    { ...keys('ENV'), AWS_REGION: 'r-env', AWS_ENDPOINT_URL: 'U/env', AWS_ENDPOINT_URL_S3: 'U/s3' },
    '',
    '',
    ['ENV', 'r-env', '/s3', undefined],
  ],
  [
    'a program that gives the credentials of a named profile',
    { profile: 'other', endpoint: 'U/option' },
    keys('ENV'),
    `[profile other]\nregion = r-other\ncredential_process = echo '{"Version":1,"AccessKeyId":"PROCESS","SecretAccessKey":"s"}'\n`,
    '',
    ['PROCESS', 'r-other', '/option', undefined],
  ],
  [
    'empty variables are as none',
    { endpoint: 'U/option' },
    {
      AWS_REGION: '',
      AWS_DEFAULT_REGION: '',
      AWS_PROFILE: '',
      AWS_ACCESS_KEY_ID: '',
      AWS_SESSION_TOKEN: '',
      AWS_ENDPOINT_URL: '',
      AWS_CONFIG_FILE: '',
      AWS_WEB_IDENTITY_TOKEN_FILE: '',
      AWS_CA_BUNDLE: '',
    },
    '[default]\nregion = r-default\n',
    ofProfile('default', 'aws_session_token =\n'),
    ['DEFAULT', 'r-default', '/option', undefined],
  ],
  [
    'nothing is signed for credentials: false',
    { endpoint: 'U/option', credentials: false },
    { ...keys('ENV'), AWS_SESSION_TOKEN: 't' },
    '',
    ofProfile('default'),
    [undefined, undefined, '/option', undefined],
  ],
]

for (const [title, options, env, config, credentials, [key, region, prefix, token]] of precedence) {
  test(`what is said explicitly wins: ${title}`, async (t) => {
    const { asked, url } = await scripted(t)
    const filled = JSON.parse(JSON.stringify([options, env, config]).replaceAll('U/', `${url}/`))
    const [filledOptions, filledEnv, filledConfig] = filled
    const got = await configured(t, {
      options: { forcePathStyle: true, ...filledOptions },
      env: filledEnv,
      config: filledConfig,
      credentials,
    })
    t.deepEqual(got, { keys: [] })
    t.is(asked.length, 1)
    t.like(asked[0], { key, region, token })
    t.true(asked[0].path.startsWith(`${prefix}/bucket`), asked[0].path)
  })
}

test('the environment gives no keys for a named profile that has none', async (t) => {
  const { asked, url } = await scripted(t)
  const got = await configured(t, {
    options: { profile: 'bare', endpoint: url },
    env: keys('ENV'),
    config: '[profile bare]\nregion = r\n',
  })
  t.is(got.code, 'CredentialsError')
  t.regex(got.message, /profile "bare" gives no credentials/)
  t.is(asked.length, 0)
})

for (const [title, options, env] of [
  ['an option', { profile: 'gone' }, keys('ENV')],
  ['AWS_PROFILE', {}, { AWS_PROFILE: 'gone' }],
]) {
  test(`a missing profile that ${title} names is an error with the files that were read`, async (t) => {
    const got = await configured(t, {
      options: { endpoint: 'http://127.0.0.1:1', ...options },
      env,
      credentials: ofProfile('default'),
    })
    t.is(got.code, 'InvalidConfig')
    t.regex(got.message, /no profile "gone" in .*\.aws.config \(which is missing\) and .*\.aws.credentials.*bucket/)
  })
}

test('files of configuration that are no such are named', async (t) => {
  const got = await configured(t, {
    options: { profile: 'other', endpoint: 'http://127.0.0.1:1' },
    config: '[profile other\nregion',
  })
  t.is(got.code, 'InvalidConfig')
  t.regex(got.message, /profile "other" can't be read/)
})

const unused = {
  'AWS_RETRY_MODE that no SDK knows': { env: { AWS_RETRY_MODE: 'legacy' } },
  'AWS_MAX_ATTEMPTS that is no number': { env: { AWS_MAX_ATTEMPTS: 'ten' } },
  'a profile with either': { config: '[default]\nretry_mode = legacy\nmax_attempts = 0\n' },
  'a named profile with either': {
    options: { profile: 'default' },
    config: '[default]\nretry_mode = adaptive\nmax_attempts = ten\n',
    credentials: ofProfile('default'),
  },
  'a configuration file that is a folder': { env: { AWS_CONFIG_FILE: '/' } },
  'a configuration file that is not there': {
    env: { AWS_CONFIG_FILE: '/none/such', AWS_SHARED_CREDENTIALS_FILE: '~/none' },
  },
  'a configuration file that is no such': { config: '\u0000[[[=\n' },
  'a CA bundle that is not there, without TLS': { env: { AWS_CA_BUNDLE: '/none/such', NODE_EXTRA_CA_CERTS: '' } },
  'an odd name of the program': { env: { AWS_SDK_UA_APP_ID: 'a b\u00e9' } },
  'odd times and checksums': {
    env: {
      AWS_REQUEST_CHECKSUM_CALCULATION: 'maybe',
      AWS_DEFAULTS_MODE: 'x',
      AWS_ACCOUNT_ID_ENDPOINT_MODE: '?',
      AWS_SIGV4A_SIGNING_REGION_SET: ',,',
      AWS_AUTH_SCHEME_PREFERENCE: ',',
    },
  },
  'metadata settings of nobody': {
    env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'not a URL', AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: 'ipv9' },
  },
}
for (const [title, { options, env, ...files }] of Object.entries(unused)) {
  test(`settings that nothing uses are not in the way: ${title}`, async (t) => {
    const { url } = await scripted(t)
    const got = await configured(t, {
      options: { endpoint: url, ...options },
      env: { ...keys('ENV'), ...env },
      ...files,
    })
    t.deepEqual(got, { keys: [] })
  })
}

const bad = {
  'a region with a blank': [{ AWS_REGION: 'us east' }, /AWS_REGION must be the name of a region.*"us east"/],
  'a region with a slash': [{ AWS_REGION: 'a/b' }, /AWS_REGION/],
  'a region with a letter of no host': [{ AWS_REGION: 'r\u00e9gion' }, /AWS_REGION/],
  'a flag that is neither': [
    { AWS_USE_FIPS_ENDPOINT: 'maybe' },
    /AWS_USE_FIPS_ENDPOINT must be true or false, but is "maybe"/,
  ],
  'another flag that is neither': [{ AWS_S3_USE_ARN_REGION: '1' }, /AWS_S3_USE_ARN_REGION/],
  'a proxy of another kind': [{ HTTP_PROXY: 'socks5://127.0.0.1:1' }, /HTTP_PROXY must be a URL of an HTTP proxy/],
}
for (const [title, [env, message]] of Object.entries(bad)) {
  test(`bad settings of the environment are refused by name: ${title}`, async (t) => {
    const got = await configured(t, { options: { endpoint: 'http://store.test' }, env: { ...keys('ENV'), ...env } })
    t.is(got.code, 'InvalidConfig')
    t.regex(got.message, message)
    t.regex(got.message, /bucket/)
  })
}

test('no region is an error at once that says where one is looked for', async (t) => {
  const got = await configured(t, { env: keys('ENV') })
  t.is(got.code, 'InvalidConfig')
  t.regex(got.message, /no region: set `region`, AWS_REGION.*bucket/)
})

test('no credentials is an error that says where some are looked for', async (t) => {
  const got = await configured(t, { options: { endpoint: 'http://127.0.0.1:1' } })
  t.is(got.code, 'CredentialsError')
  t.regex(got.message, /neither the environment nor the profile "default".*`credentials`.*bucket/)
})

const odd = { accessKeyId: 'AKIA\n', secretAccessKey: 'hush' }
const sources = {
  'an option': [{ options: { credentials: odd } }, 'Invalid'],
  'a function': [{ given: odd }, 'CredentialsError'],
  'a token of a function': [
    { given: { accessKeyId: 'A', secretAccessKey: 'hush', sessionToken: 'hush\r\nx: y' } },
    'CredentialsError',
  ],
  'a secret with a line end': [
    { options: { credentials: { accessKeyId: 'A', secretAccessKey: 'hush\n' } } },
    'Invalid',
  ],
  'the environment': [{ env: { AWS_ACCESS_KEY_ID: 'AK\nIA', AWS_SECRET_ACCESS_KEY: 'hush' } }, 'CredentialsError'],
  'a profile': [
    { credentials: '[default]\naws_access_key_id = AK\u00e9\naws_secret_access_key = hush\n' },
    'CredentialsError',
  ],
}
for (const [title, [{ options, ...rest }, code]] of Object.entries(sources)) {
  test(`odd characters in credentials are refused by the name of the field, and the secret is not shown: ${title}`, async (t) => {
    const { asked, url } = await scripted(t)
    const got = await configured(t, { options: { endpoint: url, ...options }, ...rest })
    t.is(got.code, code)
    t.regex(got.message, /accessKeyId|secretAccessKey|sessionToken/)
    t.notRegex(got.message, /hush/)
    t.is(asked.length, 0)
  })
}

const tokenless = {
  'an option': { options: { credentials: { ...given, sessionToken: '' } } },
  'a function': { given: { ...given, sessionToken: '' } },
  'the environment': { env: { ...keys('ENV'), AWS_SESSION_TOKEN: '' } },
  'a profile': { credentials: ofProfile('default', 'aws_session_token =\n') },
  'a program': {
    config: `[default]\ncredential_process = echo '{"Version":1,"AccessKeyId":"P","SecretAccessKey":"s","SessionToken":""}'\n`,
  },
}
for (const [title, { options, ...rest }] of Object.entries(tokenless)) {
  test(`an empty session token is none, neither sent nor signed: ${title}`, async (t) => {
    const { asked, url } = await scripted(t)
    t.deepEqual(await configured(t, { options: { endpoint: url, ...options }, ...rest }), { keys: [] })
    t.false('x-amz-security-token' in asked[0].headers)
    t.notRegex(asked[0].headers.authorization, /security-token/)
  })
}

test('what a store echoes of credentials is hidden', async (t) => {
  const { url } = await scripted(t, () => ({ status: 403, body: 'you sent hush-hush' }))
  const got = await configured(t, {
    options: { endpoint: url, credentials: { accessKeyId: 'A', secretAccessKey: 'hush-hush' } },
  })
  t.regex(got.message, /you sent \[hidden\]/)
})

const on = { AWS_EC2_METADATA_DISABLED: undefined, AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' }
const odder = {
  'a metadata service that is no URL': { env: { ...on, AWS_EC2_METADATA_SERVICE_ENDPOINT: 'not a URL' } },
  'a metadata service of no mode': { env: { ...on, AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: 'ipv9' } },
  'a metadata service, perhaps': { env: { ...on, AWS_EC2_METADATA_DISABLED: 'perhaps' } },
  'a metadata service with odd numbers': {
    env: { ...on, AWS_METADATA_SERVICE_TIMEOUT: 'soon', AWS_METADATA_SERVICE_NUM_ATTEMPTS: '-1' },
  },
  'a container without a URL': { env: { AWS_CONTAINER_CREDENTIALS_FULL_URI: '::' } },
  'a container of elsewhere': { env: { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://example.invalid/' } },
  'a container without a slash': { env: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: 'no slash?#' } },
  'a container with an odd token': {
    env: { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:1/', AWS_CONTAINER_AUTHORIZATION_TOKEN: 'a\r\nb' },
  },
  'a web identity without a role': { env: { AWS_WEB_IDENTITY_TOKEN_FILE: '/none/such' } },
  'a web identity without a file': { env: { AWS_WEB_IDENTITY_TOKEN_FILE: '/none/such', AWS_ROLE_ARN: 'arn' } },
  'half a pair of keys': { env: { AWS_ACCESS_KEY_ID: 'a' } },
  'profiles in a circle': {
    config: '[default]\nrole_arn = a\nsource_profile = b\n[profile b]\nrole_arn = b\nsource_profile = default\n',
  },
  'a profile whose source is gone': { config: '[default]\nrole_arn = a\nsource_profile = gone\n' },
  'a profile of a source that nobody knows': { config: '[default]\nrole_arn = a\ncredential_source = Moon\n' },
  'a profile of no session': { config: '[default]\nsso_session = gone\nsso_account_id = 1\nsso_role_name = x\n' },
  'a profile of half a session': { config: '[default]\nsso_start_url = x\nsso_account_id = 1\n' },
  'a program that is not there': { config: '[default]\ncredential_process = /none/such\n' },
  'a program that gives something else': { config: '[default]\ncredential_process = echo hello\n' },
  'a program that fails': { config: '[default]\ncredential_process = false\n' },
  'a program without a name': { config: '[default]\ncredential_process = ""\n' },
  'a profile without a secret': { credentials: '[default]\naws_access_key_id = a\n' },
  'a profile of odd letters': { env: { AWS_PROFILE: '\u{1F600} [x]' } },
  'an account that is none': { env: { AWS_ACCOUNT_ID: '\u0001' }, credentials: '[default]\naws_access_key_id = \n' },
}
for (const [title, { env, ...files }] of Object.entries(odder)) {
  test(`no setting from outside is a panic: ${title}`, async (t) => {
    t.timeout(60_000)
    const got = await configured(t, { options: { endpoint: 'http://127.0.0.1:1' }, env, ...files })
    t.true(['CredentialsError', 'InvalidConfig'].includes(got.code), `${got.code}: ${got.message}`)
    t.regex(got.message, /^\w+: .{10}.*bucket "bucket"\)$/s)
  })
}
