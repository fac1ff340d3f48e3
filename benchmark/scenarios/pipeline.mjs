// Every task of an async generator through a bounded pipeline: with executors that are done at once, where only
// the pipeline costs, and with executors that take one turn of the event loop, where it can overlap them.

import { BARE_LOOP, bareLoop, taskSource } from '../bare-loop.mjs'
import { expectCalls, nanosecondsPer } from '../measure.mjs'
import { PRODUCT, pipelines } from '../peers.mjs'

const limits = { maxTasksInFlight: 1_000, maxTasksInExecution: 50 }

const nextTurn = () =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

const measureWith = (task) => async (row, calls) => {
  let done = 0
  const executor = () => {
    done++
    return task()
  }
  const pipeline = row === BARE_LOOP ? bareLoop : await pipelines[row]()
  await pipeline(taskSource(calls / 10), executor, limits)
  const ns = await nanosecondsPer(calls, () => pipeline(taskSource(calls), executor, limits))
  expectCalls(done, calls + calls / 10)
  return { ns }
}

const pipeline = (name, what, calls, task) => ({
  name,
  title: `tasks that ${what} through a pipeline of ${limits.maxTasksInExecution} (here executeTasks)`,
  contexts: ['plain', 'als'],
  rows: [PRODUCT, 'p-map', 'p-limit', 'p-queue', 'streaming-iterables', BARE_LOOP],
  unit: 'task',
  calls,
  canShorten: true,
  measure: measureWith(task),
})

export default [
  pipeline('pipeline-instant', 'end at once', 200_000, async () => {}),
  pipeline('pipeline-immediate', 'take one setImmediate', 50_000, nextTurn),
]
