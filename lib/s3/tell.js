'use strict'

// Tells jobs something that they do not answer: its faults disturb nobody.

const core = require('../core.js')
const { warnOfFault } = require('../faults.js')

/** Calls `tell()`; what it throws becomes a warning of the process. */
function tellSafely(tell) {
  try {
    tell()
  } catch (error) {
    warnOfFault(error)
  }
}

/** The job starts nothing more. */
function stopJob(job) {
  tellSafely(() => core.stopS3(job.id))
}

module.exports = { stopJob, tellSafely }
