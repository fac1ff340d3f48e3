// Every task of an async generator through a bounded pipeline: with executors that are done at once, where only
// the pipeline costs, and with executors that take one turn of the event loop, where it can overlap them.

import { timeLoop } from '../../../measure.mjs'
import { PRODUCT } from '../../../product.mjs'
import { BARE_LOOP, bareLoop, taskSource } from './bare-loop.mjs'
import { columnsPer } from './columns.mjs'
import { pipelines } from './peers.mjs'

const limits = { maxTasksInFlight: 1_000, maxTasksInExecution: 50 }

const loopFor = (row) => async (executor) => {
  if (row === BARE_LOOP) return bareLoop(executor)
  const pipeline = await pipelines[row]()
  return (count) => pipeline(taskSource(count), executor, limits)
}

/** A scenario, but for what is required of it. `what` tells what a task does, which is the function `task`. */
const pipeline = (what, calls, task) => ({
  title: `tasks that ${what} through a pipeline of ${limits.maxTasksInExecution} (here executeTasks)`,
  contexts: ['plain', 'als'],
  rows: [PRODUCT, 'p-map', 'p-limit', 'p-queue', 'streaming-iterables', BARE_LOOP],
  columns: columnsPer('task'),
  calls,
  measure: (row, count) => timeLoop(count, loopFor(row), { task }),
})

export { pipeline }
