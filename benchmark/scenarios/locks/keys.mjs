// Locks by key, every key used once and dropped: what a key costs in time and, at the peak, in resident memory,
// and how many entries are still there after garbage collection. Always inside an AsyncLocalStorage, which
// re-entry needs.

import { setTimeout as sleep } from 'node:timers/promises'
import { peakResidentBytes, residentBytes, timeLoop } from '../../measure.mjs'
import { PRODUCT } from '../../product.mjs'
import { atMost, median } from '../../required.mjs'
import { BARE_LOOP, bareLoop } from './parts/bare-loop.mjs'
import { columnsPer } from './parts/columns.mjs'
import { keyedLocks } from './parts/peers.mjs'

const WARM_UP = 10_000
/** Collections without any progress after which what is left is taken to stay. */
const PATIENCE = 10

/** Collects garbage until no entry is left or their number no longer falls. */
const entriesAfterGc = async (entries) => {
  let left = entries()
  for (let idle = 0; left > 0 && idle < PATIENCE; idle++) {
    globalThis.gc()
    await sleep(20)
    const now = entries()
    if (now < left) idle = 0
    left = now
  }
  return left
}

const measure = async (row, calls) => {
  if (row === BARE_LOOP) return timeLoop(calls, bareLoop, { warmUp: WARM_UP })
  const { run, entries } = await keyedLocks[row]()
  let before
  const makeLoop = (executor) => async (count) => {
    const prefix = before === undefined ? 'warm-up' : 'key'
    before = residentBytes()
    for (let i = 0; i < count; i++) await run(`${prefix}:${i}`, executor)
  }
  const { ns } = await timeLoop(calls, makeLoop, { warmUp: WARM_UP })
  const bytes = (peakResidentBytes() - before) / calls
  return { ns, bytes, entries: await entriesAfterGc(entries) }
}

export default {
  title: '1,000,000 keys, each used once (peers without keys: a Map)',
  contexts: ['als'],
  rows: [PRODUCT, 'async-mutex', 'async-lock', BARE_LOOP],
  columns: columnsPer('key'),
  calls: 1_000_000,
  canShorten: false,
  measure,
  required: [
    { claim: 'entries left of 1,000,000 keys used once', ...atMost(0), measure: median(PRODUCT, 'entries') },
    { claim: 'memory per key at the peak', ...atMost(650, ' B'), measure: median(PRODUCT, 'bytes') },
  ],
}
