'use strict'

// How a native S3 job is told to stop.

const core = require('../native/core.js')
const { tellSafely } = require('../native/faults.js')

/** The job starts nothing more. */
function stopJob(job) {
  tellSafely(() => core.stopS3(job.id))
}

module.exports = { stopJob }
