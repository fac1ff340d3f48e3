// A long queue on one semaphore of one permit: everybody calls while the permit is held, then all run in turn.
// `bytes` is what a waiter adds to the resident memory, its promise included.

import { BARE_LOOP, bareLoop, taskSource } from '../bare-loop.mjs'
import { expectCalls, nanosecondsPer, residentBytes } from '../measure.mjs'
import { PRODUCT, semaphores } from '../peers.mjs'

const WARM_UP = 10_000
/** Shorter queues are built several times over, so that a sample times enough calls. */
const MIN_CALLS = 200_000
/** Below this the heap's own slack is larger than the waiters. */
const MIN_SIZE_FOR_MEMORY = 1_000_000

// In these every step forward moves the whole queue; with 100,000 it would take seconds, with 1,000,000 many minutes.
const quadratic = ['async-mutex', 'async-lock']

/** Returns what the whole queue added to the resident memory. */
const queueUp = async (run, size, executor) => {
  let open
  const before = residentBytes()
  const settled = [
    run(
      () =>
        new Promise((resolve) => {
          open = resolve
        }),
    ),
  ]
  // Some libraries start the holder a few microtasks after the call.
  while (open === undefined) await null
  for (let i = 0; i < size; i++) settled.push(run(executor))
  const added = residentBytes() - before
  open()
  await Promise.all(settled)
  return added
}

const measure = async (row, size) => {
  let done = 0
  const executor = async () => {
    done++
  }
  const passes = Math.ceil(MIN_CALLS / size)
  if (row === BARE_LOOP) {
    await bareLoop(taskSource(WARM_UP), executor)
    return { ns: await nanosecondsPer(passes * size, () => bareLoop(taskSource(passes * size), executor)) }
  }

  const run = (await semaphores[row]())(1)
  await queueUp(run, WARM_UP, executor)
  let added
  const ns = await nanosecondsPer(passes * size, async () => {
    for (let pass = 0; pass < passes; pass++) added = await queueUp(run, size, executor)
  })
  expectCalls(done, WARM_UP + passes * size)
  return size < MIN_SIZE_FOR_MEMORY ? { ns } : { ns, bytes: added / size }
}

const queued = (name, size, { contexts = ['plain'], extraRows = [] } = {}) => ({
  name,
  title: `${size.toLocaleString('en')} callers queued on one semaphore (here CoreSemaphore)`,
  contexts,
  rows: [PRODUCT, 'async-sema', 'p-limit', 'p-queue', ...extraRows, BARE_LOOP],
  unit: 'waiter',
  calls: size,
  canShorten: false,
  measure,
})

export default [
  queued('queued-10k', 10_000, { extraRows: quadratic }),
  queued('queued-100k', 100_000, { contexts: ['plain', 'als'] }),
  queued('queued-1m', 1_000_000),
]
