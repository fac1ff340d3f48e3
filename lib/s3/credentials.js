'use strict'

// Asks the user's function for credentials whenever the addon needs some.

const core = require('../native/core.js')
const { tellSafely } = require('../native/faults.js')
const { openJob } = require('../native/job.js')
const { messageOf } = require('../native/warning.js')
const { toCredentials } = require('./config.js')
const { serve } = require('./desk.js')

class CredentialsDesk {
  #provide

  constructor(provide) {
    this.#provide = provide
    this.job = openJob(core.openS3Questions)
    serve(this.job, ({ request }) => this.#answer(request))
  }

  close() {
    this.job.close()
  }

  async #answer(request) {
    let credentials = null
    let message = ''
    try {
      credentials = toCredentials('What credentials() returns', await this.#provide())
    } catch (error) {
      message = messageOf(error)
    }
    if (!this.job.isClosed) tellSafely(() => core.answerS3Credentials(this.job.id, request, credentials, message))
  }
}

module.exports = { CredentialsDesk }
