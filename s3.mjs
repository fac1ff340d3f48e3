// The ES module face of `ya-syn-native/s3`: the very objects of the CommonJS one.
import face from './s3.js'

export const { S3AbortError, S3BulkClient, S3BulkError, S3DeleteError } = face
