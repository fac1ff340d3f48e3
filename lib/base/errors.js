'use strict'

// The errors of the package. The base class takes its parameters as one object, and each other class only what differs, so
// that user code can make and compare errors too.

class SynchronizerError extends Error {
  constructor(params) {
    super(params.message ?? describe(params.code, params.context))
    this.params = params
  }

  get code() {
    return this.params.code
  }

  get context() {
    return this.params.context
  }
}

class SynchronizerTimeoutError extends SynchronizerError {
  constructor(context) {
    super({ code: 'Timeout', context })
  }
}

class SynchronizerThrottleError extends SynchronizerError {
  constructor(context) {
    super({ code: 'Throttle', context })
  }
}

class SynchronizerInvalidError extends SynchronizerError {
  constructor(message, context) {
    super({ message, code: 'Invalid', context })
  }
}

class SynchronizerReentrantExecutionError extends SynchronizerError {
  constructor(context) {
    super({ code: 'ReentrantExecution', context })
  }
}

const REASONS = {
  Timeout: 'waited longer than its time limit',
  Throttle: 'found no permit free',
  ReentrantExecution: 'was called from inside itself',
  Cancel: 'was canceled before it started',
}

function describe(code, context) {
  const reason = REASONS[code] ?? `failed with ${code}`
  if (context === undefined) return `The execution ${reason}`
  const { providerId, synchronizerId, executionId } = context
  return `The execution ${reason} (provider ${providerId}, synchronizer ${synchronizerId}, execution ${executionId})`
}

for (const ErrorClass of [
  SynchronizerError,
  SynchronizerTimeoutError,
  SynchronizerThrottleError,
  SynchronizerInvalidError,
  SynchronizerReentrantExecutionError,
]) {
  // The built-in errors have their name on the prototype too, so that it is no field of each error.
  Object.defineProperty(ErrorClass.prototype, 'name', { value: ErrorClass.name, writable: true, configurable: true })
}

module.exports = {
  SynchronizerError,
  SynchronizerTimeoutError,
  SynchronizerThrottleError,
  SynchronizerInvalidError,
  SynchronizerReentrantExecutionError,
}
