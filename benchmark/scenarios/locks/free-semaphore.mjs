// What a semaphore costs when a permit is free: one caller, one call after the other.

import { timeLoop } from '../../measure.mjs'
import { PRODUCT } from '../../product.mjs'
import { atLeast } from '../../required.mjs'
import { BARE_LOOP, bareLoop } from './parts/bare-loop.mjs'
import { columnsPer, timesFasterThan } from './parts/columns.mjs'
import { semaphores } from './parts/peers.mjs'

const loopFor = (row) => async (executor) => {
  if (row === BARE_LOOP) return bareLoop(executor)
  const run = (await semaphores[row]())(1)
  return async (count) => {
    for (let i = 0; i < count; i++) await run(executor)
  }
}

export default {
  title: 'a free semaphore (here CoreSemaphore), one call after the other',
  contexts: ['plain', 'als'],
  rows: [PRODUCT, 'async-sema', 'p-limit', 'async-mutex', 'async-lock', 'p-queue', BARE_LOOP],
  columns: columnsPer('call'),
  calls: 200_000,
  measure: (row, calls) => timeLoop(calls, loopFor(row)),
  required: [
    { claim: 'CoreSemaphore, free, vs async-sema', ...atLeast(1, 'x'), measure: timesFasterThan('async-sema') },
    { claim: 'CoreSemaphore, free, vs p-limit', ...atLeast(1.5, 'x'), measure: timesFasterThan('p-limit') },
  ],
}
