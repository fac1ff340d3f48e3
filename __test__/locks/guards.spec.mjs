// acquire(): guards that are released by hand or by `using`.
import test from 'ava'
import { deferred, isPending, outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { assertFree, counts, hold, newSynchronizer } from '../helpers/locks.mjs'

test('a guard holds a permit until it is released', async (t) => {
  const lock = newSynchronizer()
  const guard = await lock.acquire()
  t.false(guard.released)
  t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  const waiting = lock.synchronized(async () => 'entered')
  t.true(await isPending(waiting))
  guard.release()
  t.true(guard.released)
  t.is(await settlesWithin(waiting), 'entered')
  await assertFree(t, lock)
})

test('release frees the counters at once', async (t) => {
  const lock = newSynchronizer(2)
  const guards = [await lock.acquire(), await lock.acquire()]
  t.deepEqual(counts(lock), { tasks: 2, running: 2 })
  guards[0].release()
  t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  guards[1].release()
  t.deepEqual(counts(lock), { tasks: 0, running: 0 })
})

test('releasing twice is harmless, also when somebody else holds the permit by then', async (t) => {
  const lock = newSynchronizer()
  const first = await lock.acquire()
  first.release()
  const second = await lock.acquire()
  first.release()
  first[Symbol.dispose]()
  await first[Symbol.asyncDispose]()
  t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  await t.throwsAsync(
    lock.throttle().synchronized(async () => t.fail()),
    { code: 'Throttle' },
  )
  second.release()
  second.release()
  await assertFree(t, lock)
})

test('Symbol.dispose and Symbol.asyncDispose release', async (t) => {
  const lock = newSynchronizer()
  const one = await lock.acquire()
  t.is(one[Symbol.dispose](), undefined)
  t.true(one.released)
  const two = await lock.acquire()
  const end = two[Symbol.asyncDispose]()
  t.is(typeof end.then, 'function')
  await end
  t.true(two.released)
  await assertFree(t, lock)
})

let using
try {
  using = new (async () => {}).constructor('lock', 'use', '{ using guard = await lock.acquire(); await use(guard) }')
} catch {
  // This Node.js does not know the syntax yet.
}
;(using ? test : test.skip)('a guard works with `using`', async (t) => {
  const lock = newSynchronizer()
  await using(lock, async (guard) => {
    t.false(guard.released)
    t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  })
  await t.throwsAsync(
    using(lock, async () => {
      throw new Error('boom')
    }),
    { message: 'boom' },
  )
  await assertFree(t, lock)
})

test('a guard that is not had in time is a Timeout, and leaves the queue', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const waiting = outcome(() => lock.acquire({ timeout: 5 }))
  t.deepEqual(counts(lock), { tasks: 2, running: 1 })
  t.is((await settlesWithin(waiting)).reason.code, 'Timeout')
  t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  await holder.release()
  await assertFree(t, lock)
})

test('acquire() inside the own section rejects with ReentrantExecution instead of deadlocking', async (t) => {
  for (const limit of [1, 3]) {
    const lock = newSynchronizer(limit)
    await lock.synchronized(async () => {
      for (const params of [undefined, {}, { timeout: 60_000 }, { signal: new AbortController().signal }]) {
        await t.throwsAsync(settlesWithin(lock.acquire(params)), { code: 'ReentrantExecution' })
      }
      t.deepEqual(counts(lock), { tasks: 1, running: 1 })
    })
    await assertFree(t, lock, limit)
  }
})

test('acquire() inside a section of another synchronizer is fine', async (t) => {
  const [outer, inner] = [newSynchronizer(), newSynchronizer()]
  await outer.synchronized(async () => {
    const guard = await inner.acquire()
    guard.release()
  })
  await assertFree(t, outer)
  await assertFree(t, inner)
})

test('a guard leaves no re-entry mark', async (t) => {
  const lock = newSynchronizer()
  const guard = await lock.acquire()
  const section = lock.synchronized(async () => 'entered')
  t.true(await isPending(section), 'a section waits for the guard of its own flow')
  await t.throwsAsync(
    lock.throttle().synchronized(async () => t.fail()),
    { code: 'Throttle' },
  )
  guard.release()
  t.is(await settlesWithin(section), 'entered')
  await assertFree(t, lock)
})

test('acquire() in work that outlives the section queues like anyone', async (t) => {
  const lock = newSynchronizer()
  const go = deferred()
  let late
  await lock.synchronized(async () => {
    late = go.promise.then(() => lock.acquire())
  })
  const holder = await hold(lock)
  go.resolve()
  t.true(await isPending(late))
  await holder.release()
  const guard = await settlesWithin(late)
  guard.release()
  await assertFree(t, lock)
})

test('a guard may be released from anywhere, also from within a section', async (t) => {
  const lock = newSynchronizer(2)
  const guard = await lock.acquire()
  await lock.synchronized(async () => {
    guard.release()
    t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  })
  await assertFree(t, lock, 2)
})

test('many guards never exceed the limit', async (t) => {
  const limit = 3
  const lock = newSynchronizer(limit)
  let inside = 0
  let peak = 0
  const order = []
  await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const guard = await lock.acquire()
      order.push(i)
      peak = Math.max(peak, ++inside)
      await turn()
      inside--
      guard.release()
    }),
  )
  t.is(peak, limit)
  t.deepEqual(
    order,
    Array.from({ length: 200 }, (_, i) => i),
  )
  await assertFree(t, lock, limit)
})

test('a listener of Acquire may give the permit to the very waiter that it hears of', async (t) => {
  for (const terms of [{}, { timeout: 30_000 }, { signal: new AbortController().signal }]) {
    const held = []
    const lock = newSynchronizer(1, {
      onEvent: ({ type }) => {
        if (type === 'Acquire') held.pop()?.release()
      },
    })
    held.push(await lock.acquire())
    const second = await settlesWithin(lock.acquire(terms))
    second.release()
    await assertFree(t, lock)
  }
})
