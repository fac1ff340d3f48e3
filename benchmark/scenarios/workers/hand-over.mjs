// From the end of a section in one thread to the start of the callback that waits in another one, which has gone to sleep
// by then. Two threads take turns; the time is that of the monotonic clock, which is the same in all threads.

import { BroadcastChannel } from 'node:worker_threads'
import { setTimeout as sleep } from 'node:timers/promises'
import { PRODUCT } from '../../product.mjs'
import { atMost, median, times } from '../../required.mjs'
import { median as middle } from '../../stats.mjs'
import { WAIT_ASYNC, betweenThreads, mutexes } from './parts/mutexes.mjs'
import { runThreads } from './parts/threads.mjs'

const MESSAGE = 'BroadcastChannel (just a message)'

/** Long enough for the other thread to fall asleep, in milliseconds. */
const PAUSE = 1

// Cells of the shared memory: per thread whether it is in the queue, and who was inside last.
const LAST = 2
const NOT_QUEUED = 0
const QUEUED = 1
const DONE = 2

const until = async (predicate) => {
  while (!predicate()) await sleep(PAUSE)
}

const takeTurns = async ({ row, id, calls, buffer, lock }) => {
  const cells = new Int32Array(buffer, 0, 4)
  const releasedAt = new BigInt64Array(buffer, 16, 1)
  const other = 1 - id
  const run = await mutexes[row](lock)
  const nanoseconds = []
  for (let i = 0; i < calls; i++) {
    const section = run(async () => {
      const now = process.hrtime.bigint()
      if (Atomics.exchange(cells, LAST, id + 1) === other + 1)
        nanoseconds.push(Number(now - Atomics.load(releasedAt, 0)))
      Atomics.store(cells, id, NOT_QUEUED)
      await until(() => Atomics.load(cells, other) !== NOT_QUEUED)
      await sleep(PAUSE)
      Atomics.store(releasedAt, 0, process.hrtime.bigint())
    })
    Atomics.store(cells, id, QUEUED)
    await section
    // A peer that is not fair would let this thread in again.
    await until(() => Atomics.load(cells, LAST) !== id + 1 || Atomics.load(cells, other) === DONE)
  }
  Atomics.store(cells, id, DONE)
  return nanoseconds
}

const passMessages = ({ id, calls, buffer }) =>
  new Promise((resolve) => {
    const cells = new Int32Array(buffer, 0, 4)
    const channel = new BroadcastChannel('benchmark')
    const nanoseconds = []
    const send = async () => {
      await sleep(PAUSE)
      channel.postMessage(process.hrtime.bigint())
    }
    channel.onmessage = async ({ data }) => {
      nanoseconds.push(Number(process.hrtime.bigint() - data))
      await send()
      if (nanoseconds.length < calls) return
      channel.close()
      resolve(nanoseconds)
    }
    Atomics.store(cells, id, QUEUED)
    if (id === 0) until(() => Atomics.load(cells, 1) === QUEUED).then(send)
  })

const thread = (data) => (data.row === MESSAGE ? passMessages(data) : takeTurns(data))

const measure = async (row, calls) => {
  const data = { row, calls, buffer: new SharedArrayBuffer(24), lock: new SharedArrayBuffer(4) }
  const nanoseconds = (await runThreads('hand-over', 2, data)).flat().sort((a, b) => a - b)
  const { length } = nanoseconds
  return { median: middle(nanoseconds) / 1000, p90: nanoseconds[Math.floor(length * 0.9)] / 1000, handOvers: length }
}

export default {
  title: 'from the end of a section to the callback in another thread',
  ...betweenThreads,
  rows: [...betweenThreads.rows, MESSAGE],
  columns: [
    { field: 'median', title: 'median us', digits: 2 },
    { field: 'p90', title: 'p90 us', digits: 2 },
    { field: 'handOvers', title: 'hand-overs' },
  ],
  calls: 500,
  measure,
  // A busy machine slows a hand-over down as a whole, which the ratios to the peers of the same run forgive.
  required: [
    { claim: 'median, idle machine', ...atMost(30, ' us'), measure: median(PRODUCT, 'median') },
    { claim: `median, times ${WAIT_ASYNC}`, ...atMost(1.5, 'x'), measure: times(PRODUCT, WAIT_ASYNC, 'median') },
    { claim: 'median, times BroadcastChannel', ...atMost(1.5, 'x'), measure: times(PRODUCT, MESSAGE, 'median') },
  ],
}

export { thread }
