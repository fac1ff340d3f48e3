// The two limits on waiting: timeout(ms) and throttle().
import test from 'ava'
import { SynchronizerThrottleError, SynchronizerTimeoutError } from '../../index.mjs'
import { deferred, isPending, microtasks, outcome, settlesWithin, sleep, turn, waitUntil } from '../helpers/async.mjs'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'
import { assertFree, counts, hold, newSynchronizer } from '../helpers/locks.mjs'

test('timeout: a waiter that is not served in time rejects with Timeout, and its callback never runs', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const error = await t.throwsAsync(settlesWithin(lock.timeout(5).synchronized(async () => t.fail())), {
    instanceOf: SynchronizerTimeoutError,
  })
  t.is(error.code, 'Timeout')
  await holder.release()
  await turn()
  await assertFree(t, lock)
})

test('timeout: a waiter that timed out leaves the queue and the counters at once', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const order = []
  const timedOut = outcome(() =>
    lock.timeout(5).synchronized(async () => {
      order.push('timed out')
    }),
  )
  const behind = lock.synchronized(async () => {
    order.push('behind')
  })
  t.deepEqual(counts(lock), { tasks: 3, running: 1 })
  const { reason } = await timedOut
  t.is(reason.code, 'Timeout')
  t.deepEqual(counts(lock), { tasks: 2, running: 1 })
  await holder.release()
  await behind
  t.deepEqual(order, ['behind'])
  await assertFree(t, lock)
})

test('timeout: the limit does not fire early', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const started = performance.now()
  await outcome(() => lock.timeout(50).synchronized(async () => {}))
  t.true(performance.now() - started > 45)
  await holder.release()
})

test('timeout: one that is served in time runs, and leaves the others their own limits', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const short = outcome(() => lock.timeout(5).synchronized(async () => 'short'))
  const long = outcome(() => lock.timeout(60_000).synchronized(async () => 'long'))
  t.is((await short).reason.code, 'Timeout')
  await holder.release()
  t.deepEqual(await settlesWithin(long), { status: 'fulfilled', value: 'long' })
  await assertFree(t, lock)
})

test('the limit bounds waiting only, never running', async (t) => {
  const lock = newSynchronizer()
  const log = []
  const first = lock.timeout(10).synchronized(async () => {
    await sleep(50)
    log.push('first ends')
    return 'first'
  })
  await sleep(20)
  const second = lock.synchronized(async () => {
    log.push('second starts')
  })
  t.is(await first, 'first')
  await second
  t.deepEqual(log, ['first ends', 'second starts'])
})

test('timeout: it also bounds the waiting of many', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const results = await settlesWithin(
    Promise.allSettled(
      Array.from({ length: 1000 }, (_, i) => lock.timeout(1 + (i % 20)).synchronized(async () => t.fail())),
    ),
  )
  t.true(results.every((result) => result.reason.code === 'Timeout'))
  t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  await holder.release()
  await assertFree(t, lock)
})

const endless = [Infinity, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 1e12, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE]
const none = [0, -0, -5, -Infinity, NaN]

for (const ms of endless) {
  test(`timeout(${ms}) waits as long as needed`, async (t) => {
    const lock = newSynchronizer()
    t.is(await lock.timeout(ms).synchronized(async () => 'free'), 'free')
    const holder = await hold(lock)
    const waiting = lock.timeout(ms).synchronized(async () => 'served')
    const guard = lock.acquire({ timeout: ms })
    // Not one sleep of 20 ms: on a stalled loop it would end before a short timer could be armed twice.
    for (let i = 0; i < 20; i++) await sleep(1)
    t.true(await isPending(waiting))
    t.deepEqual(counts(lock), { tasks: 3, running: 1 })
    await holder.release()
    t.is(await settlesWithin(waiting), 'served')
    ;(await settlesWithin(guard)).release()
    await assertFree(t, lock)
  })
}

for (const ms of none) {
  test(`timeout(${Object.is(ms, -0) ? '-0' : ms}) enters a free lock and is a Timeout at once on a busy one`, async (t) => {
    const lock = newSynchronizer()
    t.is(await lock.timeout(ms).synchronized(async () => 'free'), 'free')
    const holder = await hold(lock)
    const run = outcome(() => lock.timeout(ms).synchronized(async () => t.fail()))
    const guard = outcome(() => lock.acquire({ timeout: ms }))
    await turn()
    await turn()
    t.deepEqual(counts(lock), { tasks: 1, running: 1 })
    t.is((await run).reason.code, 'Timeout')
    t.is((await guard).reason.code, 'Timeout')
    await holder.release()
    await assertFree(t, lock)
  })
}

test('throttle: rejects at once when no permit is free, and counts nobody', async (t) => {
  const lock = newSynchronizer(2)
  const holder = await hold(lock, 2)
  const run = outcome(() => lock.throttle().synchronized(async () => t.fail()))
  t.deepEqual(counts(lock), { tasks: 2, running: 2 })
  await microtasks(20)
  const { reason } = await run
  t.true(reason instanceof SynchronizerThrottleError)
  t.is(reason.code, 'Throttle')
  await holder.release()
  await assertFree(t, lock, 2)
})

test('throttle: enters while a permit is free', async (t) => {
  const lock = newSynchronizer(2)
  const holder = await hold(lock, 1)
  t.is(await lock.throttle().synchronized(async () => 'entered'), 'entered')
  await holder.release()
  await assertFree(t, lock, 2)
})

test('a timer that fires while its permit is granted yields one outcome only and loses no permit', async (t) => {
  // The release is made in the very turn in which the timers are due.
  for (let round = 0; round < 40; round++) {
    const lock = newSynchronizer()
    const gate = deferred()
    const holder = lock.synchronized(() => gate.promise)
    let entered = 0
    const waiters = Array.from({ length: 4 }, () =>
      outcome(() =>
        lock.timeout(2).synchronized(async () => {
          entered++
        }),
      ),
    )
    const until = performance.now() + 2 + (round % 4) * 0.25
    while (performance.now() < until); // Blocks the loop, so that the timers are late.
    setTimeout(gate.resolve, round % 3)
    const results = await settlesWithin(Promise.all(waiters))
    await holder
    t.is(entered, results.filter((result) => result.status === 'fulfilled').length)
    await assertFree(t, lock)
  }
})

test('timeouts break the knot of two locks taken in opposite order', async (t) => {
  const [x, y] = [newSynchronizer(), newSynchronizer()]
  const both = deferred()
  let inside = 0
  const meet = () => {
    if (++inside === 2) both.resolve()
    return both.promise
  }
  const results = await settlesWithin(
    Promise.allSettled([
      x.synchronized(async () => {
        await meet()
        return y.timeout(50).synchronized(async () => 'x then y')
      }),
      y.synchronized(async () => {
        await meet()
        return x.timeout(50).synchronized(async () => 'y then x')
      }),
    ]),
  )
  t.true(results.some((result) => result.reason?.code === 'Timeout'))
  await assertFree(t, x)
  await assertFree(t, y)
})

for (const mode of ['resolve', 'reject', 'guard', 'many', 'abort']) {
  test(`the timer of a timeout is gone as soon as the permit is had or given up (${mode})`, async (t) => {
    const run = await runFixture('timeout-lifetime.mjs', { args: [mode] })
    assertCleanEnd(t, run)
    t.is(run.result.timers, 0)
    t.true(run.ms < run.result.limit / 2, `the process lived ${run.ms} ms with a limit of ${run.result.limit} ms`)
  })
}

test('a waiting timeout ends a wait that nobody else would end', async (t) => {
  const run = await runFixture('timeout-alone.mjs')
  assertCleanEnd(t, run)
  t.deepEqual(run.result, { code: 'Timeout' })
})

test.serial('the timer runs only while the caller waits', async (t) => {
  const lock = newSynchronizer()
  const timers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length
  const view = lock.timeout(60_000)
  const before = timers()
  await view.synchronized(async () => {
    t.true(timers() <= before)
  })
  const holder = await hold(lock)
  const waiting = view.synchronized(async () => {
    t.true(timers() <= before)
  })
  await waitUntil(() => counts(lock).tasks === 2)
  await holder.release()
  await waiting
})
