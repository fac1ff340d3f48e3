'use strict'

// The compiled addon. Where it is looked for is decided by the generated `native.js`; a failure of all of that becomes
// one error that says what to do.

function load() {
  try {
    return require('../../native.js')
  } catch (error) {
    throw require('./binding-error.js').bindingError(error)
  }
}

module.exports = load()
