// A long queue on one semaphore of one permit: everybody calls while the permit is held, then all run in turn.
// `bytes` is what a waiter adds to the resident memory, its promise included.

import { residentBytes, timeLoop } from '../../../measure.mjs'
import { PRODUCT } from '../../../product.mjs'
import { BARE_LOOP, bareLoop } from './bare-loop.mjs'
import { columnsPer } from './columns.mjs'
import { semaphores } from './peers.mjs'

const WARM_UP = 10_000
/** Shorter queues are built several times over, so that a sample times enough calls. */
const MIN_CALLS = 200_000
/** Below this the heap's own slack is larger than the waiters. */
const MIN_SIZE_FOR_MEMORY = 1_000_000

/** Returns what the whole queue added to the resident memory. */
const queueUp = async (run, size, executor) => {
  let open
  const before = residentBytes()
  const settled = [run(() => new Promise((resolve) => (open = resolve)))]
  // Some libraries start the holder a few microtasks after the call.
  while (open === undefined) await null
  for (let i = 0; i < size; i++) settled.push(run(executor))
  const added = residentBytes() - before
  open()
  await Promise.all(settled)
  return added
}

const measure = async (row, size) => {
  const calls = Math.ceil(MIN_CALLS / size) * size
  if (row === BARE_LOOP) return timeLoop(calls, bareLoop, { warmUp: WARM_UP })
  const run = (await semaphores[row]())(1)
  let added
  const makeLoop = (executor) => async (count) => {
    for (let left = count; left > 0; left -= size) added = await queueUp(run, Math.min(left, size), executor)
  }
  const { ns } = await timeLoop(calls, makeLoop, { warmUp: WARM_UP })
  return size < MIN_SIZE_FOR_MEMORY ? { ns } : { ns, bytes: added / size }
}

/** A scenario of `size` callers, but for what is required of it. */
const queued = (size, { extraRows = [] } = {}) => ({
  title: `${size.toLocaleString('en')} callers queued on one semaphore (here CoreSemaphore)`,
  contexts: ['plain'],
  rows: [PRODUCT, 'async-sema', 'p-limit', 'p-queue', ...extraRows, BARE_LOOP],
  columns: columnsPer('waiter'),
  calls: size,
  canShorten: false,
  measure,
})

export { queued }
