// What a semaphore costs when a permit is free: one caller, one call after the other.

import { BARE_LOOP, bareLoop, taskSource } from '../bare-loop.mjs'
import { expectCalls, nanosecondsPer } from '../measure.mjs'
import { PRODUCT, semaphores } from '../peers.mjs'

const calls = 200_000

const loopFor = async (row, executor) => {
  if (row === BARE_LOOP) return (count) => bareLoop(taskSource(count), executor)
  const run = (await semaphores[row]())(1)
  return async (count) => {
    for (let i = 0; i < count; i++) await run(executor)
  }
}

const measure = async (row, calls) => {
  let done = 0
  const loop = await loopFor(row, async () => {
    done++
  })
  await loop(calls / 10)
  const ns = await nanosecondsPer(calls, () => loop(calls))
  expectCalls(done, calls + calls / 10)
  return { ns }
}

export default {
  name: 'free-semaphore',
  title: 'a free semaphore (here CoreSemaphore), one call after the other',
  contexts: ['plain', 'als'],
  rows: [PRODUCT, 'async-sema', 'p-limit', 'async-mutex', 'async-lock', 'p-queue', BARE_LOOP],
  unit: 'call',
  calls,
  canShorten: true,
  measure,
}
