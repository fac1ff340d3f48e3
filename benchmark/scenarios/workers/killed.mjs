// Threads that are ended at random moments while four others work on 100 shared keys: what becomes of permits and memory.
// The row without the library shows what Node.js itself keeps of threads that have gone.

import { setTimeout as sleep } from 'node:timers/promises'
import { residentBytes } from '../../measure.mjs'
import { PRODUCT, loadProduct } from '../../product.mjs'
import { atMost, median } from '../../required.mjs'
import { medianOf } from '../../stats.mjs'
import { startThread } from './parts/threads.mjs'

const NOTHING = 'threads alone'
const KEYS = 100
const WORKERS = 4
const AT_A_TIME = 20
/** So many rounds more go first, while heaps and compiled code grow to their size. */
const WARM_UP = 0.5
/** Else V8's young generations, which grow in steps and never shrink, are most of what is measured. */
const SMALL = { resourceLimits: { maxYoungGenerationSizeMb: 4 } }

// Cells of the shared memory: what the workers are to do, how many times two were inside, and who is inside each key.
const ORDER = 0
const VIOLATIONS = 1
const OWNERS = 2

const openProvider = async () => {
  const { SynchronizerProvider } = await loadProduct()
  return new SynchronizerProvider({ providerId: 'benchmark', scope: 'process' })
}

const WORK = 0
const REST = 1
const STOP = 2

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
    for (let order; (order = Atomics.load(cells, ORDER)) !== STOP;) {
      const key = randomKey()
      if (order === REST || provider === undefined) await sleep(1)
      else await provider.forKey(`key ${key}`).synchronized(() => section(key))
    }
  }
  const collecting = setInterval(() => {
    if (Atomics.load(cells, ORDER) === REST) globalThis.gc()
  }, 20)
  await Promise.all(Array.from({ length: AT_A_TIME }, loop))
  clearInterval(collecting)
  return done
}

/** Resident memory while the workers rest: garbage of theirs would hide what the others left. */
const memoryAtRest = async (cells) => {
  Atomics.store(cells, ORDER, REST)
  for (let i = 0; i < 10; i++) {
    await sleep(50)
    globalThis.gc()
  }
  const bytes = residentBytes()
  Atomics.store(cells, ORDER, WORK)
  return bytes
}

const measure = async (row, rounds) => {
  const buffer = new SharedArrayBuffer(4 * (OWNERS + KEYS))
  const cells = new Int32Array(buffer)
  const workers = Array.from({ length: WORKERS }, (_, id) => startThread('killed', { row, id: id + 1, buffer }, SMALL))
  let before
  for (let round = -Math.ceil(rounds * WARM_UP); round < rounds; round++) {
    if (round === 0) before = await memoryAtRest(cells)
    const { worker, result } = startThread('killed', { row, id: WORKERS + 1 + rounds + round, buffer }, SMALL)
    result.catch(() => {})
    await new Promise((resolve) => worker.once('online', resolve))
    await sleep(Math.random() * 100)
    await worker.terminate()
  }
  const megabytes = ((await memoryAtRest(cells)) - before) / 1e6
  Atomics.store(cells, ORDER, STOP)
  const done = await Promise.all(workers.map(({ result }) => result))
  if (row === NOTHING) return { megabytes }

  const provider = await openProvider()
  const tryKey = (_, key) =>
    provider
      .forKey(`key ${key}`)
      .throttle()
      .synchronized(async () => {})
  const tried = await Promise.allSettled(Array.from({ length: KEYS }, tryKey))
  const lost = tried.filter(({ status }) => status === 'rejected').length
  if (Math.min(...done) === 0) throw new Error('a worker got no permit at all')
  return { megabytes, lost, violations: Atomics.load(cells, VIOLATIONS) }
}

const megabytesBeyondThreads = (samples) =>
  medianOf(samples[PRODUCT], 'megabytes') - Math.max(0, medianOf(samples[NOTHING], 'megabytes') ?? 0)

const rows = [PRODUCT, NOTHING]

export default {
  title: `200 threads ended at random moments while ${WORKERS} others work on ${KEYS} keys`,
  rows,
  columns: [
    { field: 'megabytes', title: 'MB kept', digits: 2 },
    { field: 'lost', title: 'lost permits' },
    { field: 'violations', title: 'two inside' },
  ],
  rounds: 3,
  once: rows,
  calls: 200,
  measure,
  required: [
    { claim: 'lost permits', ...atMost(0), measure: median(PRODUCT, 'lost') },
    { claim: 'two inside one key', ...atMost(0), measure: median(PRODUCT, 'violations') },
    { claim: 'memory kept, beyond that of threads alone', ...atMost(10, ' MB'), measure: megabytesBeyondThreads },
  ],
}

export { thread }
