'use strict'

// Serves the questions that native work puts to JavaScript by a job, for as long as the job is open.

const { warnOfFault } = require('../native/faults.js')

/** After so many faults of the core in a row the job is given up. */
const MOST_FAULTS = 3

/**
 * Calls `take(chunk)` for each chunk. The wait for a question does not keep the process alive; the work that asks does.
 */
async function serve(job, take) {
  for (let faults = 0; faults < MOST_FAULTS; faults++) {
    try {
      for (let chunk; (chunk = await job.next({ holds: false })) !== null;) {
        faults = 0
        take(chunk)
      }
      return
    } catch (error) {
      warnOfFault(error)
    }
  }
  // By that, the work that waits for an answer learns that there is none.
  job.close()
}

module.exports = { serve }
