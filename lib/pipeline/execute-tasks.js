'use strict'

// `executeTasks`: hands a pipeline with native ends to its executor, and runs any other here.

const { RUN_NATIVE } = require('./native-ends.js')
const { Run } = require('./run.js')
const { readRun } = require('./run-options.js')

async function executeTasks(params) {
  const options = readRun(params, 'taskExecutor')
  const ended = options.taskExecutor[RUN_NATIVE]?.(options)
  await (ended ?? new Run(options).execute())
}

module.exports = { executeTasks }
