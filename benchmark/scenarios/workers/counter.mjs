// Eight threads count in shared memory under one key, each 100 sections at a time. The sum tells whether they excluded each
// other; how far the others were when the first had finished tells whether anyone starved.

import { PRODUCT } from '../../product.mjs'
import { atMost, median } from '../../required.mjs'
import { betweenThreads, mutexes } from './parts/mutexes.mjs'
import { runThreads } from './parts/threads.mjs'

const THREADS = 8
const AT_A_TIME = 100

const thread = async ({ row, id, calls, buffer, lock }) => {
  const counter = new Float64Array(buffer, 0, 1)
  const granted = new Int32Array(buffer, 8, THREADS)
  const started = new Int32Array(buffer, 8 + 4 * THREADS, 1)
  const run = await mutexes[row](lock)
  const section = async () => {
    counter[0] += 1
    granted[id]++
  }
  // All start together.
  if (Atomics.add(started, 0, 1) + 1 === THREADS) Atomics.notify(started, 0)
  for (let now; (now = Atomics.load(started, 0)) < THREADS;) Atomics.wait(started, 0, now)
  const start = process.hrtime.bigint()
  let left = calls
  const work = async () => {
    while (left-- > 0) await run(section)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return { start, end: process.hrtime.bigint(), granted: [...granted] }
}

const measure = async (row, calls) => {
  const buffer = new SharedArrayBuffer(8 + 4 * THREADS + 4)
  const threads = await runThreads('counter', THREADS, { row, calls, buffer, lock: new SharedArrayBuffer(4) })
  threads.sort((a, b) => Number(a.end - b.end))
  const [{ granted }] = threads
  const nanoseconds = Number(threads.at(-1).end - threads[0].start) / (THREADS * calls)
  return {
    nanoseconds,
    lost: THREADS * calls - new Float64Array(buffer, 0, 1)[0],
    maxPerMin: Math.max(...granted) / Math.min(...granted),
  }
}

export default {
  title: `${THREADS} threads x 100,000 increments of one counter`,
  ...betweenThreads,
  columns: [
    { field: 'nanoseconds', title: 'ns/increment' },
    { field: 'lost', title: 'lost' },
    { field: 'maxPerMin', title: 'most grants per least', digits: 2 },
  ],
  calls: 100_000,
  measure,
  required: [
    { claim: 'lost increments', ...atMost(0), measure: median(PRODUCT, 'lost') },
    { claim: 'most grants of a thread, times least', ...atMost(1.5, 'x'), measure: median(PRODUCT, 'maxPerMin') },
  ],
}

export { thread }
