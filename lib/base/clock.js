'use strict'

// The clock of the process in milliseconds, which no test fakes: taken once, since clocks are faked by replacing the method.

const { performance } = require('node:perf_hooks')

const now = performance.now.bind(performance)

module.exports = { now }
