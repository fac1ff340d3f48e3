'use strict'

// Credentials: the checks of what the user gives, and the desk that asks the user's function whenever the addon needs some.

const core = require('../native/core.js')
const { SynchronizerInvalidError } = require('../base/errors.js')
const { checkDate, checkObject, given } = require('../base/validate.js')
const { tellSafely } = require('../native/faults.js')
const { openJob } = require('../native/job.js')
const { messageOf } = require('../native/warning.js')
const { serve } = require('./desk.js')

/** Credentials as the addon takes them, checked. @returns {import('../native/core.js').S3Credentials} */
function toCredentials(name, credentials) {
  checkObject(name, credentials)
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = credentials
  for (const [field, value] of [
    ['accessKeyId', accessKeyId],
    ['secretAccessKey', secretAccessKey],
  ]) {
    if (typeof value !== 'string' || value === '')
      throw invalidSecret(`${name}.${field}`, value, 'a string that is not empty')
  }
  if (sessionToken != null && typeof sessionToken !== 'string')
    throw invalidSecret(`${name}.sessionToken`, sessionToken, 'a string, or left out')
  /** @type {any} checked field by field */
  const checked = given({
    accessKeyId,
    secretAccessKey,
    sessionToken,
    expiration: expiration == null ? undefined : checkDate(`${name}.expiration`, expiration),
  })
  const fault = core.findFaultInS3Credentials(checked)
  if (fault != null) throw new SynchronizerInvalidError(`${name}.${fault}`)
  return checked
}

/** The value may be a secret, so it is not shown. */
function invalidSecret(name, value, remedy) {
  return new SynchronizerInvalidError(
    `${name} must be ${remedy}, but is a value of type ${typeof value}${value === '' ? ' that is empty' : ''}`,
  )
}

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

module.exports = { CredentialsDesk, toCredentials }
