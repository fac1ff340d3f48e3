// The performance budget: what the package promises, as ratios between rows of one run, and whether it held.

import { BARE_LOOP } from './bare-loop.mjs'
import { PRODUCT } from './peers.mjs'
import { medianOf, medianRatio } from './stats.mjs'

// ya-syn itself is not measured: it is no longer to be had from the registry. On the machine where it was last
// measured it took 2.9 to 3.2 us where p-limit took 1.1 to 1.3 us, both inside an AsyncLocalStorage.
const ORIGINAL_PER_P_LIMIT = 2.5

const atLeast = (required) => ({ required: `>= ${required}x`, holds: (ratio) => ratio >= required, unit: 'x' })
const atMost = (required, unit = 'x') => ({
  required: `<= ${required}${unit}`,
  holds: (value) => value <= required,
  unit,
})

const timesFasterThan = (peer, id) => (rows) => medianRatio(rows(id)[peer], rows(id)[PRODUCT], 'ns')

const lines = [
  ...['free-semaphore', 'free-semaphore+als'].flatMap((id) => [
    { id, claim: 'CoreSemaphore, free, vs async-sema', ...atLeast(1), measure: timesFasterThan('async-sema', id) },
    { id, claim: 'CoreSemaphore, free, vs p-limit', ...atLeast(1.5), measure: timesFasterThan('p-limit', id) },
  ]),
  {
    id: 'free-key+als',
    claim: `forKey(k), free, vs ya-syn (taken as ${ORIGINAL_PER_P_LIMIT} x p-limit)`,
    ...atLeast(4),
    measure: (rows) => ORIGINAL_PER_P_LIMIT * timesFasterThan('p-limit', 'free-key+als')(rows),
  },
  {
    id: 'free-key+als',
    claim: 'forKey(k), free, vs async-mutex',
    ...atLeast(1.3),
    measure: timesFasterThan('async-mutex', 'free-key+als'),
  },
  ...['queued-100k', 'queued-1m'].map((id) => ({
    id,
    claim: 'queued on one semaphore, vs p-limit',
    ...atLeast(1.8),
    measure: timesFasterThan('p-limit', id),
  })),
  {
    id: 'queued-1m',
    claim: 'a waiter among 1,000,000, vs one among 10,000',
    ...atMost(3),
    measure: (rows) => medianRatio(rows('queued-1m')[PRODUCT], rows('queued-10k')[PRODUCT], 'ns'),
  },
  ...['pipeline-instant', 'pipeline-instant+als'].flatMap((id) => [
    {
      id,
      claim: 'executeTasks, vs the bare loop',
      ...atMost(2),
      measure: (rows) => medianRatio(rows(id)[PRODUCT], rows(id)[BARE_LOOP], 'ns'),
    },
    { id, claim: 'executeTasks, vs p-map', ...atLeast(1.8), measure: timesFasterThan('p-map', id) },
  ]),
  {
    id: 'keys+als',
    claim: 'entries left of 1,000,000 keys used once',
    ...atMost(0, ''),
    measure: (rows) => medianOf(rows('keys+als')[PRODUCT], 'entries'),
  },
  {
    id: 'keys+als',
    claim: 'memory per key at the peak',
    ...atMost(650, ' B'),
    measure: (rows) => medianOf(rows('keys+als')[PRODUCT], 'bytes'),
  },
]

/** A verdict a line; `met` is undefined where this run did not measure it. */
const judge = (results) => {
  const samples = new Map(results.map((result) => [result.id, result.samples]))
  const rows = (id) => samples.get(id) ?? {}
  return lines.map(({ id, claim, required, unit, holds, measure }) => {
    const measured = measure(rows)
    const known = Number.isFinite(measured)
    return {
      comparison: id,
      claim,
      required,
      unit,
      measured: known ? measured : undefined,
      met: known ? holds(measured) : undefined,
    }
  })
}

export { judge }
