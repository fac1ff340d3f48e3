// What the tests of all kinds of locks share: one way to make each kind, to occupy it, and to prove it free again.
import { CoreSemaphore, Semaphore, SynchronizerProvider } from '../../index.mjs'
import { deferred, settlesWithin, waitUntil } from './async.mjs'

/** One maker per kind of lock that keeps a queue, for promises that hold for all of them. */
export const kindsOfLock = {
  CoreSemaphore: (limit) => new CoreSemaphore(limit),
  Semaphore: (limit) => new Semaphore(limit),
  forKey: (limit) => new SynchronizerProvider().forKey('key', limit),
  forObject: (limit) => new SynchronizerProvider().forObject({}, limit),
  createSynchronizer: (limit) => new SynchronizerProvider().createSynchronizer({ maxConcurrentExecution: limit }),
}

/** A fresh synchronizer that stands alone. */
export const newSynchronizer = (limit = 1, params = {}) =>
  new SynchronizerProvider().createSynchronizer({ maxConcurrentExecution: limit, ...params })

/** The counters of any kind of lock. */
export function counts(lock) {
  const { numberOfTasks: tasks, numberOfRunningTasks: running } = lock.stats ?? lock
  return { tasks, running }
}

/** Occupies `permits` permits; resolves when it has them. `release()` resolves when they are free again. */
export async function hold(lock, permits = 1) {
  const gate = deferred()
  let entered = 0
  const ends = Array.from({ length: permits }, () =>
    lock.synchronized(async () => {
      entered++
      await gate.promise
    }),
  )
  await waitUntil(() => entered === permits, { what: `${permits} permits are held` })
  return {
    release() {
      gate.resolve()
      return Promise.all(ends)
    },
  }
}

/** No permit was lost: the counters are back at 0, and all permits can be held at once again. */
export async function assertFree(t, lock, limit = 1) {
  t.deepEqual(counts(lock), { tasks: 0, running: 0 }, 'the counters return to 0')
  const holder = await hold(lock, limit)
  t.deepEqual(counts(lock), { tasks: limit, running: limit })
  await settlesWithin(holder.release())
  t.deepEqual(counts(lock), { tasks: 0, running: 0 })
}
