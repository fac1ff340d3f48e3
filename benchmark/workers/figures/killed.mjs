// Threads that are ended at random moments while four others work on 100 shared keys: what becomes of permits and memory.
// The row without the library shows what Node.js itself keeps of threads that have gone.

import { setTimeout as sleep } from 'node:timers/promises'
import { residentBytes } from '../../measure.mjs'
import { PRODUCT } from '../mutexes.mjs'
import { startThread } from '../threads.mjs'

const NOTHING = 'threads alone'
const KEYS = 100
const WORKERS = 4
const AT_A_TIME = 20
/** Memory is measured from here on: the first threads make the heaps grow to their size. */
const WARM_UP = 0.25

// Cells of the shared memory: whether the workers are to stop, how many times two were inside, and who is inside each key.
const STOP = 0
const VIOLATIONS = 1
const OWNERS = 2

const openProvider = async () => {
  const { SynchronizerProvider } = (await import('../../../index.js')).default
  return new SynchronizerProvider({ providerId: 'benchmark', scope: 'process' })
}

const randomKey = () => Math.floor(Math.random() * KEYS)

const thread = async ({ row, id, buffer }) => {
  const cells = new Int32Array(buffer)
  const provider = row === PRODUCT ? await openProvider() : undefined
  let done = 0
  const section = async (key) => {
    Atomics.store(cells, OWNERS + key, id)
    if (Math.random() < 0.1) await sleep(0)
    if (Atomics.load(cells, OWNERS + key) !== id) Atomics.add(cells, VIOLATIONS, 1)
    done++
  }
  const loop = async () => {
    while (Atomics.load(cells, STOP) === 0) {
      const key = randomKey()
      if (provider === undefined) await sleep(1)
      else await provider.forKey(`key ${key}`).synchronized(() => section(key))
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, loop))
  return done
}

const afterGc = async () => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc()
    await sleep(10)
  }
  return residentBytes()
}

const measure = async (row, rounds) => {
  const buffer = new SharedArrayBuffer(4 * (OWNERS + KEYS))
  const cells = new Int32Array(buffer)
  const workers = Array.from({ length: WORKERS }, (_, id) => startThread('killed', { row, id: id + 1, buffer }))
  let before
  for (let round = 0; round < rounds; round++) {
    if (round === Math.floor(rounds * WARM_UP)) before = await afterGc()
    const { worker, result } = startThread('killed', { row, id: WORKERS + 1 + round, buffer })
    result.catch(() => {})
    await new Promise((resolve) => worker.once('online', resolve))
    await sleep(Math.random() * 100)
    await worker.terminate()
  }
  const megabytes = (await afterGc() - before) / 1e6
  Atomics.store(cells, STOP, 1)
  const done = await Promise.all(workers.map(({ result }) => result))
  if (row === NOTHING) return { megabytes }

  const provider = await openProvider()
  let lost = 0
  for (let key = 0; key < KEYS; key++) {
    await provider.forKey(`key ${key}`).throttle().synchronized(async () => {}).catch(() => { lost++ })
  }
  if (Math.min(...done) === 0) throw new Error('a worker got no permit at all')
  return { megabytes, lost, violations: Atomics.load(cells, VIOLATIONS) }
}

const killed = {
  name: 'killed',
  title: `200 threads ended at random moments while ${WORKERS} others work on ${KEYS} keys`,
  rows: [PRODUCT, NOTHING],
  columns: ['megabytes', 'lost', 'violations'],
  calls: 200,
  once: true,
  measure
}

export { NOTHING, killed, thread }
