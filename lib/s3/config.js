'use strict'

// Checks the configuration of a client, whose names are those of the JavaScript SDK.

const { Buffer } = require('node:buffer')
const { readFileSync } = require('node:fs')
const { types } = require('node:util')
const core = require('../native/core.js')
const { SynchronizerInvalidError } = require('../base/errors.js')
const {
  checkInteger,
  checkNames,
  checkObject,
  checkOptionalBoolean,
  checkPlainObject,
  given,
  invalid,
} = require('../base/validate.js')
const { messageOf } = require('../native/warning.js')
const { toCredentials } = require('./credentials.js')
const { checkText } = require('./text.js')

/** The values of `deleteMode`. */
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
  'proxy',
  'caBundle',
  'maxAttempts',
  'requestTimeout',
  'connectionTimeout',
  'requestHandler',
  'throttleTimeout',
  'deleteMode',
  ...FLAGS,
]

const DEFAULTS = {
  maxAttempts: 5,
  requestTimeout: 60_000,
  connectionTimeout: 10_000,
  throttleTimeout: 300_000,
  deleteMode: 'auto',
}

/** The configuration as the addon takes it, without a function as `credentials`. @param {any} config */
function toConfig(config) {
  checkPlainObject('config', config)
  checkNames('S3BulkClient', given(config), NAMES)
  // The JavaScript SDK has the times in the options of its request handler.
  const { requestHandler, ...rest } = config
  if (requestHandler != null) checkObject('requestHandler', requestHandler)
  const { requestTimeout, connectionTimeout } = requestHandler ?? {}
  /** @type {any} */
  const merged = { ...DEFAULTS, ...given({ requestTimeout, connectionTimeout }), ...given(rest) }
  for (const name of ['region', 'profile']) checkText(name, merged[name])
  for (const name of ['region', 'profile']) {
    if (merged[name] === '') throw invalid(name, '', 'a string that is not empty, or left out')
  }
  if (merged.region !== undefined) checkByCore('region', merged.region, merged.region)
  for (const name of FLAGS) checkOptionalBoolean(name, merged[name])
  for (const name of ['requestTimeout', 'connectionTimeout', 'throttleTimeout']) checkMilliseconds(name, merged[name])
  checkInteger('maxAttempts', merged.maxAttempts, 1000)
  if (!MODES.includes(merged.deleteMode))
    throw invalid('deleteMode', merged.deleteMode, MODES.map((mode) => `'${mode}'`).join(', '))
  const { region, profile, maxAttempts, throttleTimeout, deleteMode } = merged
  const times = {
    requestTimeout: toWait(merged.requestTimeout),
    connectionTimeout: toWait(merged.connectionTimeout),
    throttleTimeout,
  }
  const flags = Object.fromEntries(FLAGS.map((name) => [name, merged[name]]))
  const reached = {
    endpoint: toEndpoint(merged.endpoint),
    ...toProxy(merged.proxy),
    caBundle: toBundle(merged.caBundle),
  }
  return given({
    region,
    profile,
    maxAttempts,
    deleteMode,
    ...times,
    ...flags,
    ...reached,
    ...toStatic(config.credentials),
  })
}

function checkMilliseconds(name, value) {
  if (!(typeof value === 'number' && value >= 0)) throw invalid(name, value, 'milliseconds, 0 or more')
}

/** The addon's bound for a wait: 0 means none, as it does in the JavaScript SDK. */
function toWait(ms) {
  return ms === 0 ? Number.MAX_VALUE : ms
}

/**
 * Checks the text of an option by the rule of the addon, which also checks the text of the environment.
 *
 * @param {unknown} shown what an error shows of it
 */
function checkByCore(name, text, shown) {
  const remedy = core.findFaultInS3Option(name, text)
  if (remedy != null) throw invalid(name, shown, remedy)
}

function toEndpoint(endpoint) {
  if (endpoint === undefined) return undefined
  // A URL may be of another realm.
  const text = typeof endpoint === 'string' ? endpoint : endpoint?.href
  if (typeof text !== 'string') throw invalid('endpoint', endpoint, "a URL such as 'https://store.example'")
  checkByCore('endpoint', text, withoutUser(text))
  return text
}

function toProxy(proxy) {
  if (proxy === undefined) return {}
  if (proxy === false) return { isDirect: true }
  const text = typeof proxy === 'string' ? proxy : proxy?.href
  if (typeof text !== 'string')
    throw invalid('proxy', proxy, "a URL such as 'http://proxy.example:3128', or false for none")
  checkByCore('proxy', text, withoutUser(text))
  return { proxy: text }
}

/** A URL as an error shows it, without the user and password that it may hold. */
function withoutUser(text) {
  return text.includes('@') ? `...@${text.slice(text.lastIndexOf('@') + 1)}` : text
}

/** The certificates, in PEM, which are given themselves or by the path of their file. */
function toBundle(bundle) {
  if (bundle === undefined) return undefined
  const isText = typeof bundle === 'string'
  if (!isText && !types.isUint8Array(bundle))
    throw invalid('caBundle', bundle, 'the path of a file of certificates in PEM, or what it holds')
  const isPath = isText && !bundle.includes('-----BEGIN')
  const shown = isPath ? `The file ${JSON.stringify(bundle)} that caBundle names` : 'caBundle'
  const pem = isPath ? readBundle(bundle) : isText ? bundle : Buffer.from(bundle).toString('latin1')
  const fault = core.findFaultInS3Option('caBundle', pem)
  if (fault != null) throw new SynchronizerInvalidError(`${shown} ${fault}`)
  return pem
}

function readBundle(path) {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    throw new SynchronizerInvalidError(
      `The file ${JSON.stringify(path)} that caBundle names can't be read: ${messageOf(error)}`,
    )
  }
}

function toStatic(credentials) {
  if (credentials === false) return { isAnonymous: true }
  return credentials == null || typeof credentials === 'function' ? {} : toCredentials('credentials', credentials)
}

module.exports = { toConfig }
