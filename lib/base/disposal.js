'use strict'

// The symbols of `using` and `await using`. The realms of some test runners lack them; compilers that translate `using`
// for those look for the registered symbols of the same names instead.

/* eslint-disable no-restricted-properties -- no other file asks whether these symbols exist */
const DISPOSE = Symbol.dispose ?? Symbol.for('Symbol.dispose')
const ASYNC_DISPOSE = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')

module.exports = { ASYNC_DISPOSE, DISPOSE }
