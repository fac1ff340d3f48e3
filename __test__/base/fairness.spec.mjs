// Order and speed of the queue, for every kind of lock: first come, first served, and no waiter costs more than another.
import test from 'ava'
import { sleep, turn } from '../helpers/async.mjs'
import { leastCostOf } from '../helpers/cost.mjs'
import { assertFree, kindsOfLock, newSynchronizer } from '../helpers/locks.mjs'

for (const [kind, make] of Object.entries(kindsOfLock)) {
  test(`${kind}: calls start in the order in which they were made, from the very first on`, async (t) => {
    for (const limit of [1, 3]) {
      const lock = make(limit)
      const order = []
      await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          lock.synchronized(async () => {
            order.push(i)
          }),
        ),
      )
      t.deepEqual(
        order,
        Array.from({ length: 50 }, (_, i) => i),
      )
    }
  })

  test(`${kind}: calls made microtasks after the first one of a fresh lock do not overtake it`, async (t) => {
    for (let gap = 0; gap < 8; gap++) {
      const lock = make(1)
      const order = []
      const runs = []
      for (let i = 0; i < 5; i++) {
        runs.push(
          lock.synchronized(async () => {
            order.push(i)
          }),
        )
        for (let k = 0; k < gap; k++) await null
      }
      await Promise.all(runs)
      t.deepEqual(order, [0, 1, 2, 3, 4], `${gap} microtasks apart`)
    }
  })

  test(`${kind}: newcomers right after a release neither exceed the limit nor overtake`, async (t) => {
    const limit = 3
    const lock = make(limit)
    const started = []
    let calls = 0
    let inside = 0
    let peak = 0
    const call = () => {
      const number = calls++
      return lock.synchronized(async () => {
        started.push(number)
        peak = Math.max(peak, ++inside)
        if (number % 5 === 0) await sleep(number % 3)
        else if (number % 2 === 0) await turn()
        inside--
      })
    }
    // Each chain calls again as early as possible after its own release, after a varying number of microtasks.
    const chain = async (length, gap) => {
      for (let i = 0; i < length; i++) {
        await call()
        for (let k = 0; k < (i + gap) % 4; k++) await null
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, gap) => chain(75, gap)))
    t.is(peak, limit)
    t.deepEqual(
      started,
      Array.from({ length: calls }, (_, i) => i),
    )
    await assertFree(t, lock, limit)
  })

  test.serial(`${kind}: a long queue costs each waiter about what a short one does`, async (t) => {
    const perWaiter = async (tries, length) =>
      (await leastCostOf(tries, () => {
        const lock = make(1)
        return Promise.all(Array.from({ length }, () => lock.synchronized(async () => {})))
      })) / length
    await perWaiter(2, 5_000)
    const short = await perWaiter(3, 5_000)
    const long = await perWaiter(2, 100_000)
    // A quadratic queue would be some 20 times dearer.
    t.true(long < short * 8, `${long} ms a waiter at 100,000 against ${short} ms at 5,000`)
  })
}

test('all ways to wait for a synchronizer stand in one queue', async (t) => {
  const lock = newSynchronizer()
  const order = []
  const note = (name) => async () => {
    order.push(name)
  }
  const acquire = async (name) => {
    const guard = await lock.acquire()
    order.push(name)
    guard.release()
  }
  const first = lock.synchronized(async () => {
    await turn()
    order.push('first')
  })
  const runs = [
    lock.synchronized(note('plain')),
    lock.timeout(60_000).synchronized(note('timeout')),
    acquire('guard'),
    lock.synchronized({ cb: note('object') }),
    lock.synchronized({ cb: note('signal'), signal: new AbortController().signal }),
    acquire('guard again'),
    lock.timeout(Infinity).synchronized(note('endless timeout')),
  ]
  await Promise.all([first, ...runs])
  t.deepEqual(order, ['first', 'plain', 'timeout', 'guard', 'object', 'signal', 'guard again', 'endless timeout'])
})

test('calls start in order by whatever way they wait, also when several permits come free at once', async (t) => {
  const ways = {
    plain: (lock, cb) => lock.synchronized(cb),
    timeout: (lock, cb) => lock.timeout(60_000).synchronized(cb),
    signal: (lock, cb) => lock.synchronized({ cb, signal: new AbortController().signal }),
    isCanceled: (lock, cb) => lock.synchronized({ cb, isCanceled: () => false }),
    both: (lock, cb) => lock.timeout(60_000, { signal: new AbortController().signal }).synchronized(cb),
  }
  for (const first of Object.keys(ways)) {
    for (const second of Object.keys(ways)) {
      for (const secondFindsItFree of [false, true]) {
        const lock = newSynchronizer(2)
        const guards = [await lock.acquire(), await lock.acquire()]
        const order = []
        const call = (number, way) =>
          ways[way](lock, async () => {
            order.push(number)
          })
        const runs = [call(1, first)]
        if (!secondFindsItFree) runs.push(call(2, second))
        await turn()
        for (const guard of guards) guard.release()
        if (secondFindsItFree) runs.push(call(2, second))
        await Promise.all(runs)
        t.deepEqual(order, [1, 2], `${first}, then ${second}${secondFindsItFree ? ' on a free permit' : ''}`)
      }
    }
  }
})

test('a call made before another in the same turn has the permit, even before its callback starts', async (t) => {
  const lock = newSynchronizer()
  const first = lock.synchronized(async () => 'first')
  await t.throwsAsync(
    lock.throttle().synchronized(async () => t.fail()),
    { code: 'Throttle' },
  )
  t.is(await first, 'first')
})
