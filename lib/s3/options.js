'use strict'

// Checks the options of S3 jobs, and turns them into what the addon takes: plain objects without undefined fields.

const {
  checkInteger,
  checkKeyLimit,
  checkLimit,
  checkNames,
  checkObject,
  checkOptionalBoolean,
  checkOptionalFunction,
  checkOptionalSignal,
  given,
  invalid,
  readOnce,
} = require('../base/validate.js')
const { toFilter } = require('./filter.js')
const { checkText } = require('./text.js')

const MOST_IN_BATCH = 1000
const MOST_LISTERS = 1000
// In the path of a request anything else may be read as another path: as the bucket `a` and a key, or as no bucket at all.
const IS_BUCKET = /^(?:arn:[^\s\p{Cc}?#\\]+|(?!\.{1,2}$)[^\s\p{Cc}/?#\\]+)$/u

const DEFAULTS = {
  batchSize: MOST_IN_BATCH,
  maxTasksInExecution: 50,
  parallelListing: 8,
}

const TARGET_NAMES = ['Bucket', 'ExpectedBucketOwner', 'RequestPayer']
const RANGE_NAMES = ['Prefix', 'StartAfter', 'MaxKeys', 'parallelListing', 'filter']
const LISTING_NAMES = [...TARGET_NAMES, ...RANGE_NAMES, 'where', 'signal']
const DELETION_NAMES = [
  ...TARGET_NAMES,
  'batchSize',
  'maxTasksInExecution',
  'limitPerKey',
  'BypassGovernanceRetention',
  'MFA',
  'signal',
]
const JOB_NAMES = [
  ...DELETION_NAMES,
  ...RANGE_NAMES,
  'all',
  'versions',
  'dryRun',
  'maxTasksInFlight',
  'onTaskError',
  'onProgress',
]

/** A copy of the options of a method, with a copy of the object among them. @returns {any} */
function copyOptions(options, names) {
  checkObject('The options', options)
  const own = readOnce(options, names)
  if (own.limitPerKey != null) own.limitPerKey = readLimitPerKey(own.limitPerKey)
  return own
}

/** A copy of the options of `method`, without any that it does not know. */
function readOptions(method, options, names) {
  const own = copyOptions(options, names)
  checkNames(method, given(own), names)
  return own
}

function readLimitPerKey(limitPerKey) {
  checkObject('limitPerKey', limitPerKey)
  const { prefixLength, delimiter, maxTasksInExecution, synchronizers } = limitPerKey
  return { prefixLength, delimiter, maxTasksInExecution, synchronizers }
}

function toTarget({ Bucket, ExpectedBucketOwner, RequestPayer }) {
  if (typeof Bucket !== 'string' || Bucket === '') throw invalid('Bucket', Bucket, 'the name or ARN of a bucket')
  if (!IS_BUCKET.test(Bucket)) {
    throw invalid('Bucket', Bucket, 'a name without a path, or an ARN: the beginning of keys belongs into `Prefix`')
  }
  checkText('ExpectedBucketOwner', ExpectedBucketOwner)
  // A guard that is empty would guard nothing.
  if (ExpectedBucketOwner === '') throw invalid('ExpectedBucketOwner', '', 'the id of an account, or left out')
  if (RequestPayer != null && RequestPayer !== 'requester')
    throw invalid('RequestPayer', RequestPayer, "'requester', or left out")
  return { Bucket, ExpectedBucketOwner, requesterPays: RequestPayer === 'requester' }
}

/** The options of a listing as the addon takes them. */
function toListing(options) {
  const { Prefix, StartAfter, MaxKeys, filter, where, signal } = options
  const parallelListing = options.parallelListing ?? DEFAULTS.parallelListing
  const target = toTarget(options)
  checkText('Prefix', Prefix)
  checkText('StartAfter', StartAfter)
  if (MaxKeys != null) checkInteger('MaxKeys', MaxKeys, MOST_IN_BATCH)
  checkInteger('parallelListing', parallelListing, MOST_LISTERS)
  checkOptionalFunction('where', where)
  checkOptionalSignal(signal)
  return given({ ...target, Prefix, StartAfter, MaxKeys, parallelListing, ...toFilter(filter) })
}

/** The options of a delete as the addon takes them. */
function toDeletion(options) {
  const batchSize = options.batchSize ?? DEFAULTS.batchSize
  const maxTasksInExecution = options.maxTasksInExecution ?? DEFAULTS.maxTasksInExecution
  const { BypassGovernanceRetention, MFA, limitPerKey, signal } = options
  const target = toTarget(options)
  checkInteger('batchSize', batchSize, MOST_IN_BATCH)
  checkLimit('maxTasksInExecution', maxTasksInExecution)
  checkOptionalBoolean('BypassGovernanceRetention', BypassGovernanceRetention ?? undefined)
  checkText('MFA', MFA)
  checkOptionalSignal(signal)
  return given({
    ...target,
    batchSize,
    maxTasksInExecution,
    BypassGovernanceRetention,
    MFA,
    ...toLimitPerKey(limitPerKey),
  })
}

function toLimitPerKey(limitPerKey) {
  if (limitPerKey == null) return {}
  const { prefixLength, delimiter, maxTasksInExecution, synchronizers } = limitPerKey
  if ((prefixLength == null) === (delimiter == null)) {
    throw invalid('limitPerKey', limitPerKey, 'an object with either prefixLength or delimiter')
  }
  if (prefixLength != null) checkInteger('limitPerKey.prefixLength', prefixLength, 1024)
  if (delimiter === '') throw invalid('limitPerKey.delimiter', delimiter, 'a string that is not empty')
  checkText('limitPerKey.delimiter', delimiter)
  checkKeyLimit(maxTasksInExecution, synchronizers)
  return { prefixLength, delimiter, maxPerPrefix: maxTasksInExecution, gated: synchronizers !== undefined }
}

/** What `deletePrefix` takes: the options of the native job, and what JavaScript does beside it. */
function toJob(options) {
  const own = copyOptions(options, JOB_NAMES)
  const { where, Prefix, all, versions, dryRun, onTaskError, onProgress, signal, limitPerKey } = own
  if (where != null)
    throw invalid('where', where, 'left out: use `filter`, or executeTasks with listKeys({ where }) and deleteObjects')
  checkNames('deletePrefix', given(own), JOB_NAMES)
  for (const [name, flag] of Object.entries({ all, versions, dryRun })) checkOptionalBoolean(name, flag ?? undefined)
  if (!all && (typeof Prefix !== 'string' || Prefix === '')) {
    throw invalid('Prefix', Prefix, 'a string that is not empty; to delete everything in the bucket set `all: true`')
  }
  if (all && Prefix != null && Prefix !== '') throw invalid('Prefix', Prefix, 'left out when `all` is true')
  checkOptionalFunction('onTaskError', onTaskError)
  checkOptionalFunction('onProgress', onProgress)
  const deletion = toDeletion(own)
  const maxTasksInFlight =
    own.maxTasksInFlight ?? 2 * Math.min(deletion.maxTasksInExecution, DEFAULTS.maxTasksInExecution)
  checkLimit('maxTasksInFlight', maxTasksInFlight)
  return {
    options: { ...toListing(own), versions: versions ?? false, ...deletion, maxTasksInFlight },
    limitPerKey,
    hooks: { signal, onTaskError, onProgress },
    isDry: dryRun ?? false,
  }
}

module.exports = { DELETION_NAMES, LISTING_NAMES, readOptions, toDeletion, toJob, toListing }
