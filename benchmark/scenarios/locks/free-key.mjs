// What a lock by key costs when nobody holds the key: the lock is looked up for every call, as programs do, among
// a few keys in turn. Always inside an AsyncLocalStorage, which re-entry needs.

import { timeLoop } from '../../measure.mjs'
import { PRODUCT } from '../../product.mjs'
import { atLeast } from '../../required.mjs'
import { BARE_LOOP, bareLoop } from './parts/bare-loop.mjs'
import { columnsPer, timesFasterThan } from './parts/columns.mjs'
import { keyedLocks } from './parts/peers.mjs'

// ya-syn itself is not measured: it is no longer to be had from the registry. On the machine where it was last
// measured it took 2.9 to 3.2 us where p-limit took 1.1 to 1.3 us, both inside an AsyncLocalStorage.
const ORIGINAL_PER_P_LIMIT = 2.5

const keys = Array.from({ length: 64 }, (_, i) => `key:${i}`)

const loopFor = (row) => async (executor) => {
  if (row === BARE_LOOP) return bareLoop(executor)
  const { run } = await keyedLocks[row]()
  return async (count) => {
    for (let i = 0; i < count; i++) await run(keys[i % keys.length], executor)
  }
}

export default {
  title: 'a free lock by key (here forKey(k).synchronized, re-entry on)',
  contexts: ['als'],
  rows: [PRODUCT, 'async-mutex', 'async-lock', 'p-limit', BARE_LOOP],
  columns: columnsPer('call'),
  calls: 200_000,
  measure: (row, calls) => timeLoop(calls, loopFor(row)),
  required: [
    {
      claim: `forKey(k), free, vs ya-syn (taken as ${ORIGINAL_PER_P_LIMIT} x p-limit)`,
      ...atLeast(4, 'x'),
      measure: (samples) => ORIGINAL_PER_P_LIMIT * timesFasterThan('p-limit')(samples),
    },
    { claim: 'forKey(k), free, vs async-mutex', ...atLeast(1.3, 'x'), measure: timesFasterThan('async-mutex') },
  ],
}
