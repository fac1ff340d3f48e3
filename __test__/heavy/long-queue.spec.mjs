// a million waiters cost a million times one waiter. `YA_SYN_HEAVY_COUNT` sets another number of them.
import test from 'ava'
import { outcome } from '../helpers/async.mjs'
import { costOf, leastCostOf } from '../helpers/cost.mjs'
import { assertFree, counts, hold, kindsOfLock, newSynchronizer } from '../helpers/locks.mjs'

const count = Number(process.env.YA_SYN_HEAVY_COUNT ?? 1_000_000)

for (const [kind, make] of Object.entries(kindsOfLock)) {
  test.serial(`${kind}: ${count} waiters cost each at most a few times what it costs among 10,000`, async (t) => {
    t.timeout(300_000)
    let lock
    const perWaiter = async (tries, length) =>
      (await leastCostOf(tries, () => {
        lock = make(1)
        return Promise.all(Array.from({ length }, () => lock.synchronized(async () => {})))
      })) / length
    await perWaiter(2, 10_000)
    const short = await perWaiter(2, 10_000)
    const long = await perWaiter(1, count)
    t.true(long < short * 10, `${long} ms a waiter among ${count}, ${short} ms among 10,000`)
    await assertFree(t, lock)
  })
}

test.serial(`${count} waiters may leave the queue from any place at the same cost`, async (t) => {
  t.timeout(300_000)
  const perAbort = async (length) => {
    const lock = newSynchronizer()
    const holder = await hold(lock)
    const controllers = Array.from({ length }, () => new AbortController())
    const runs = controllers.map(({ signal }) => outcome(() => lock.synchronized({ cb: async () => t.fail(), signal })))
    await null
    // From the back, the middle and the front.
    const cost = await costOf(() => {
      for (let i = 0; i < length; i++) controllers[(i * 7919) % length].abort()
    })
    t.deepEqual(counts(lock), { tasks: 1, running: 1 })
    await Promise.all(runs)
    await holder.release()
    await assertFree(t, lock)
    return cost / length
  }
  await perAbort(10_000)
  const short = Math.min(await perAbort(10_000), await perAbort(10_000))
  const long = await perAbort(count / 5)
  t.true(long < short * 10, `${long} ms an abort among ${count / 5}, ${short} ms among 10,000`)
})
