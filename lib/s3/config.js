'use strict'

// The configuration of a client: the names of the JavaScript SDK's, checked.

const { URL } = require('node:url')
const { SynchronizerInvalidError } = require('../errors.js')
const { invalid } = require('../validate.js')
const { checkInteger, checkMilliseconds, checkNames, checkObject, checkOptional, checkText, given } = require('./options.js')

const MODES = ['auto', 'checksum', 'md5', 'single']
const FLAGS = [
  'forcePathStyle',
  'useDualstackEndpoint',
  'useFipsEndpoint',
  'useAccelerateEndpoint',
  'useArnRegion',
  'disableMultiregionAccessPoints',
  'disableS3ExpressSessionAuth',
]

const NAMES = [
  'region',
  'profile',
  'endpoint',
  'credentials',
  'maxAttempts',
  'requestTimeout',
  'connectionTimeout',
  'requestHandler',
  'throttleTimeout',
  'deleteMode',
  ...FLAGS,
]

const DEFAULTS = { maxAttempts: 5, requestTimeout: 60_000, connectionTimeout: 10_000, throttleTimeout: 300_000, deleteMode: 'auto' }

/** What the addon takes; `credentials` as a function is left out. @param {any} config */
function toConfig(config) {
  checkObject('config', config)
  if (Array.isArray(config)) throw invalid('config', config, 'an object')
  checkNames('S3BulkClient', config, NAMES)
  // The JavaScript SDK has the times in the options of its request handler.
  const { requestHandler, ...rest } = config
  if (requestHandler != null) checkObject('requestHandler', requestHandler)
  const { requestTimeout, connectionTimeout } = requestHandler ?? {}
  /** @type {any} */
  const merged = { ...DEFAULTS, ...given({ requestTimeout, connectionTimeout }), ...given(rest) }
  for (const name of ['region', 'profile']) checkText(name, merged[name])
  if (merged.region === '') throw invalid('region', '', 'a string that is not empty, or left out')
  for (const name of FLAGS) checkOptional('boolean', name, merged[name])
  for (const name of ['requestTimeout', 'connectionTimeout', 'throttleTimeout']) checkMilliseconds(name, merged[name])
  checkInteger('maxAttempts', merged.maxAttempts, 1000)
  if (!MODES.includes(merged.deleteMode)) throw invalid('deleteMode', merged.deleteMode, MODES.map((mode) => `'${mode}'`).join(', '))
  const { region, profile, maxAttempts, throttleTimeout, deleteMode } = merged
  const times = { requestTimeout: toWait(merged.requestTimeout), connectionTimeout: toWait(merged.connectionTimeout), throttleTimeout }
  const flags = Object.fromEntries(FLAGS.map((name) => [name, merged[name]]))
  const endpoint = toEndpoint(merged.endpoint)
  return given({ region, profile, endpoint, maxAttempts, deleteMode, ...times, ...flags, ...toStatic(config.credentials) })
}

/** 0 means no bound, as it does in the JavaScript SDK. */
function toWait(ms) {
  return ms === 0 ? Number.MAX_VALUE : ms
}

function toEndpoint(endpoint) {
  if (endpoint === undefined) return undefined
  // A URL may be of another realm.
  const text = typeof endpoint === 'string' ? endpoint : endpoint?.href
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw invalid('endpoint', endpoint, "a URL such as 'https://store.example'")
  return url.href
}

function toStatic(credentials) {
  return credentials == null || typeof credentials === 'function' ? {} : toCredentials('credentials', credentials)
}

/** Credentials as the addon takes them. */
function toCredentials(name, credentials) {
  checkObject(name, credentials)
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = credentials
  for (const [field, value] of [['accessKeyId', accessKeyId], ['secretAccessKey', secretAccessKey]]) {
    if (typeof value !== 'string' || value === '') throw invalidSecret(`${name}.${field}`, value, 'a string that is not empty')
  }
  if (sessionToken != null && typeof sessionToken !== 'string') throw invalidSecret(`${name}.sessionToken`, sessionToken, 'a string, or left out')
  const at = expiration == null ? undefined : new Date(expiration).getTime()
  if (Number.isNaN(at)) throw invalid(`${name}.expiration`, expiration, 'a Date, or what makes one')
  return given({ accessKeyId, secretAccessKey, sessionToken, expiration: at })
}

/** The value may be a secret, so it is not shown. */
function invalidSecret(name, value, remedy) {
  return new SynchronizerInvalidError(`${name} must be ${remedy}, but is a value of type ${typeof value}${value === '' ? ' that is empty' : ''}`)
}

module.exports = { toConfig, toCredentials }
