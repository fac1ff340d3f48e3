'use strict'

// Loads the compiled addon. The generated `native.js` decides where to look for it; when each of its tries fails, one error
// says what to do.

function load() {
  try {
    return require('../../native.js')
  } catch (error) {
    throw require('./binding-error.js').bindingError(error)
  }
}

module.exports = load()
