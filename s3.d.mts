export * from './s3.js'
