'use strict'

// The functions of the Rust core for this environment: integers in, integers out. Everything in
// this folder that decides nothing itself asks here.

// A copy, because reading a function off an object that was filled from Rust takes longer.
module.exports = { ...require('./binding.js').open() }
