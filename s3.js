'use strict'

// `ya-syn-native/s3` for `require`; `s3.mjs` gives `import` the same objects.

const { S3BulkClient } = require('./lib/s3/client.js')
const { S3AbortError, S3BulkError, S3DeleteError } = require('./lib/s3/errors.js')

module.exports = {
  S3AbortError,
  S3BulkClient,
  S3BulkError,
  S3DeleteError,
}
