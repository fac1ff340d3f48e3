// isCanceled on locks: when it is asked, what its answer does, and that no permit is lost.
import test from 'ava'
import { SynchronizerError } from '../../index.mjs'
import { outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { assertFree, counts, hold, newSynchronizer } from '../helpers/locks.mjs'

test('isCanceled is asked once, when the permit is granted; true rejects with code Cancel', async (t) => {
  const lock = newSynchronizer()
  for (const queued of [true, false]) {
    const holder = queued ? await hold(lock) : undefined
    let asked = 0
    const run = outcome(() =>
      lock.synchronized({
        cb: async () => t.fail(),
        isCanceled: () => {
          asked++
          return true
        },
      }),
    )
    if (queued) {
      await turn()
      t.is(asked, 0, 'not while it waits')
      t.deepEqual(counts(lock), { tasks: 2, running: 1 })
      await holder.release()
    }
    const { reason } = await settlesWithin(run)
    t.true(reason instanceof SynchronizerError)
    t.is(reason.code, 'Cancel')
    t.is(asked, 1)
    await assertFree(t, lock)
  }
})

test('isCanceled false lets the callback run, and is not asked again', async (t) => {
  const lock = newSynchronizer()
  let asked = 0
  t.is(
    await lock.synchronized({
      cb: async () => 'value',
      isCanceled: () => {
        asked++
        return false
      },
    }),
    'value',
  )
  t.is(asked, 1)
  await assertFree(t, lock)
})

test('a canceled waiter passes its permit on', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const runs = Array.from({ length: 1000 }, (_, i) =>
    outcome(() => lock.synchronized({ cb: async () => i, isCanceled: () => i !== 999 })),
  )
  await holder.release()
  const results = await settlesWithin(Promise.all(runs))
  t.is(results.filter((result) => result.reason?.code === 'Cancel').length, 999)
  t.is(results[999].value, 999)
  await assertFree(t, lock)
})

test('an isCanceled that throws rejects its call and loses no permit', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const isCanceled = () => {
    throw new Error('isCanceled broke')
  }
  const run = outcome(() => lock.synchronized({ cb: async () => t.fail(), isCanceled }))
  const behind = lock.synchronized(async () => 'served')
  await holder.release()
  t.is((await settlesWithin(run)).status, 'rejected')
  t.is(await settlesWithin(behind), 'served')
  await assertFree(t, lock)
})
