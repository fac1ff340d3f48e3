'use strict'

// Tells a native S3 job to stop.

const core = require('../native/core.js')
const { tellSafely } = require('../native/faults.js')

/** The job starts nothing more; what was sent ends. */
function stopJob(job) {
  tellSafely(() => core.stopS3(job.id))
}

module.exports = { stopJob }
