'use strict'

// Answers what a native job asks for as long as it is open.

const { warnOfFault } = require('../native/faults.js')

/** After so many faults of the core in a row nothing good will come. */
const MOST_FAULTS = 3

/** Calls `take(chunk)` for each chunk. Whoever asks holds the process; this only waits to be asked. */
async function serve(job, take) {
  for (let faults = 0; faults < MOST_FAULTS; faults++) {
    try {
      for (let chunk; (chunk = await job.next({ holds: false })) !== null; ) {
        faults = 0
        take(chunk)
      }
      return
    } catch (error) {
      warnOfFault(error)
    }
  }
  // Those who wait for an answer are told that there is none.
  job.close()
}

module.exports = { serve }
