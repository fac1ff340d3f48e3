'use strict'

// The functions of the addon for this thread; core.d.ts says what each of them does.

// The object is a copy, because reading a function off an object that Rust filled takes longer.
module.exports = { ...require('./binding.js').open() }
