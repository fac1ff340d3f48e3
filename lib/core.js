'use strict'

// The functions of the Rust core for this environment: integers in, integers out. Everything in
// this folder that decides nothing itself asks here.

module.exports = require('./binding.js').open()
