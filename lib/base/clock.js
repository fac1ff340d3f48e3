'use strict'

// The clock of the process in milliseconds. Tests fake a clock by replacing its method, so this one, which they must not
// fake, takes the method once.

const { performance } = require('node:perf_hooks')

const now = performance.now.bind(performance)

module.exports = { now }
