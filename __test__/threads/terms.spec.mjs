// The terms on which threads wait for one another: first come, first served, with time limits, signals and guards.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { deferred, outcome, settlesWithin, turns, waitUntil } from '../helpers/async.mjs'
import { assertFree, counts, hold } from '../helpers/locks.mjs'
import { newName, startThread, startThreads } from '../helpers/threads.mjs'

const lockOf = (name, limit = 1) =>
  new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('key', limit)

/** Queues a section in the thread; once it ran, `log` has `label` at its place. Does not wait for it. */
function enqueue({ SynchronizerProvider, state }, name, label, buffer) {
  state.provider ??= new SynchronizerProvider({ providerId: name, scope: 'process' })
  const log = new Int32Array(buffer)
  state.pending ??= []
  state.pending.push(
    state.provider.forKey('key').synchronized(async () => {
      log[1 + Atomics.add(log, 0, 1)] = label
      if (label % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
    }),
  )
}
const allDone = async ({ state }) => void (await Promise.all(state.pending))

test('sections start in the order of the calls, whichever threads made them', async (t) => {
  const name = newName()
  const lock = lockOf(name)
  const holder = await hold(lock)
  const threads = startThreads(t, 3)
  const count = 40
  const buffer = new SharedArrayBuffer(4 * (count + 1))
  const state = {}
  for (let label = 0; label < count; label++) {
    const thread = threads[(label * 7) % 4]
    if (thread === undefined) enqueue({ SynchronizerProvider, state }, name, label, buffer)
    else await thread.run(enqueue, name, label, buffer)
  }
  t.is(lock.stats.numberOfTasks, count + 1)
  await holder.release()
  await Promise.all([allDone({ state }), ...threads.map((thread) => thread.run(allDone))])
  t.deepEqual([...new Int32Array(buffer)], [count, ...Array(count).keys()])
  await assertFree(t, lock)
})

/** Waits in the thread in one way, while somebody else has the permit. */
const waitOver = async ({ SynchronizerProvider, state }, name, way, ms) => {
  state.events = []
  const onEvent = ({ type, stats }) => state.events.push(`${type} ${stats.numberOfTasks}`)
  const lock = new SynchronizerProvider({ providerId: name, scope: 'process', onEvent }).forKey('key')
  state.controller = new AbortController()
  const { signal } = state.controller
  const ways = {
    timeout: () => lock.timeout(ms).synchronized(async () => 'entered'),
    throttle: () => lock.throttle().synchronized(async () => 'entered'),
    signal: () => lock.synchronized({ cb: async () => 'entered', signal }),
    guard: async () => {
      const guard = await lock.acquire({ signal, timeout: ms })
      guard.release()
      return guard.released ? 'entered' : 'kept'
    },
  }
  state.result = ways[way]().then(
    (value) => ({ value }),
    ({ code, name }) => ({ code: code ?? name }),
  )
}
const resultOf = async ({ state }) => ({ result: await state.result, events: state.events })

for (const way of ['timeout', 'guard']) {
  test(`a time limit ends the wait for another thread, and the counters with it (${way})`, async (t) => {
    const name = newName()
    const lock = lockOf(name)
    const holder = await hold(lock)
    const thread = startThread(t)
    await thread.run(waitOver, name, way, 20)
    t.deepEqual(await thread.run(resultOf), { result: { code: 'Timeout' }, events: ['Acquire 2', 'Timeout 1'] })
    t.deepEqual(counts(lock), { tasks: 1, running: 1 })
    await holder.release()
    await assertFree(t, lock)
  })

  test(`within its time limit a wait for another thread is granted (${way})`, async (t) => {
    const name = newName()
    const lock = lockOf(name)
    const holder = await hold(lock)
    const thread = startThread(t)
    await thread.run(waitOver, name, way, 30_000)
    t.is(lock.stats.numberOfTasks, 2)
    await holder.release()
    t.deepEqual((await thread.run(resultOf)).result, { value: 'entered' })
    await assertFree(t, lock)
  })
}

test('throttle sees the permits of other threads', async (t) => {
  const name = newName()
  const lock = lockOf(name)
  const thread = startThread(t)
  const holder = await hold(lock)
  await thread.run(waitOver, name, 'throttle')
  t.deepEqual(await thread.run(resultOf), { result: { code: 'Throttle' }, events: ['Throttle 1'] })
  await holder.release()
  await thread.run(waitOver, name, 'throttle')
  t.deepEqual((await thread.run(resultOf)).result, { value: 'entered' })
})

for (const way of ['signal', 'guard']) {
  test(`an abort ends the wait for another thread (${way})`, async (t) => {
    const name = newName()
    const lock = lockOf(name)
    const holder = await hold(lock)
    const thread = startThread(t)
    await thread.run(waitOver, name, way)
    t.is(lock.stats.numberOfTasks, 2)
    await thread.run(({ state }) => state.controller.abort())
    t.deepEqual(await thread.run(resultOf), { result: { code: 20 }, events: ['Acquire 2', 'Cancel 1'] })
    t.deepEqual(counts(lock), { tasks: 1, running: 1 })
    await holder.release()
    await assertFree(t, lock)
  })
}

test('whoever left the queue of another thread is passed over', async (t) => {
  const name = newName()
  const lock = lockOf(name)
  const holder = await hold(lock)
  const [first, second] = startThreads(t, 2)
  await first.run(waitOver, name, 'signal')
  await second.run(waitOver, name, 'signal')
  await first.run(({ state }) => state.controller.abort())
  await holder.release()
  t.deepEqual((await second.run(resultOf)).result, { value: 'entered' })
  await assertFree(t, lock)
})

test('a wait that ends while its permit is on the way loses no permit', async (t) => {
  const name = newName()
  const lock = lockOf(name)
  const threads = startThreads(t, 2)
  await Promise.all(
    threads.map((thread) =>
      thread.run(async ({ SynchronizerProvider }, name) => {
        const lock = new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('key')
        for (let i = 0; i < 150; i++) {
          const controller = new AbortController()
          const all = Promise.allSettled([
            lock.synchronized(() => new Promise((resolve) => setImmediate(resolve))),
            lock.timeout(i % 4).synchronized(async () => {}),
            lock.synchronized({ cb: async () => {}, signal: controller.signal }),
            lock.acquire({ signal: controller.signal, timeout: i % 3 }).then((guard) => guard.release()),
          ])
          if (i % 2) await new Promise((resolve) => setImmediate(resolve))
          controller.abort()
          await all
        }
      }, name),
    ),
  )
  await assertFree(t, lock)
})

test('a guard of one thread keeps another one out until it is released, and releasing twice is harmless', async (t) => {
  const name = newName()
  const thread = startThread(t)
  const lock = lockOf(name)
  const guard = await lock.acquire()
  await thread.run(waitOver, name, 'guard', 30_000)
  guard.release()
  guard.release()
  t.deepEqual((await thread.run(resultOf)).result, { value: 'entered' })
  guard[Symbol.dispose]()
  await assertFree(t, lock)
})

test('the async context, errors and values of a section are those of its caller, whoever released', async (t) => {
  const name = newName()
  const lock = lockOf(name)
  const holder = await hold(lock)
  const thread = startThread(t)
  await thread.run(async ({ SynchronizerProvider, state }, name) => {
    const { AsyncLocalStorage } = await import('node:async_hooks')
    const storage = new AsyncLocalStorage()
    const lock = new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('key')
    state.all = [1, 2, 3].map((i) => storage.run(i, () => lock.synchronized(async () => storage.getStore())))
    state.broken = lock.synchronized(() => {
      throw new RangeError('broken')
    })
    state.broken.catch(() => {})
  }, name)
  await holder.release()
  t.deepEqual(await thread.run(({ state }) => Promise.all(state.all)), [1, 2, 3])
  t.like(await outcome(() => thread.run(({ state }) => state.broken)), {
    status: 'rejected',
    reason: { name: 'RangeError', message: 'broken' },
  })
  await assertFree(t, lock)
})

test('permits granted in a row to one thread cross together', async (t) => {
  const name = newName()
  const lock = lockOf(name, 50)
  const gate = deferred()
  const holders = Array.from({ length: 50 }, () => lock.synchronized(() => gate.promise))
  await waitUntil(() => lock.stats.numberOfRunningTasks === 50)
  const thread = startThread(t)
  await thread.run(({ SynchronizerProvider, state }, name) => {
    const lock = new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('key')
    let ticks = 0
    const tick = () => {
      ticks++
      state.ticking = setImmediate(tick)
    }
    tick()
    state.starts = []
    state.all = Array.from({ length: 50 }, () =>
      lock.synchronized(async () => {
        state.starts.push(ticks)
      }),
    )
  }, name)
  gate.resolve()
  await settlesWithin(Promise.all(holders))
  const starts = await thread.run(async ({ state }) => {
    await Promise.all(state.all)
    clearImmediate(state.ticking)
    return state.starts
  })
  t.is(starts.length, 50)
  // One wake-up may catch the releaser half way through, so a batch may come in a few parts.
  t.true(new Set(starts).size <= 10, `${new Set(starts).size} turns of the loop for 50 permits`)
})

test('thousands of hand-overs between threads lose and double none', async (t) => {
  const name = newName()
  const lock = lockOf(name)
  const work = async ({ SynchronizerProvider }, name) => {
    const lock = new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('key')
    let done = 0
    for (let i = 0; i < 500; i++)
      await lock.synchronized(async () => {
        done++
      })
    return done
  }
  const results = await Promise.all([
    work({ SynchronizerProvider }, name),
    ...startThreads(t, 3).map((thread) => thread.run(work, name)),
  ])
  t.deepEqual(results, [500, 500, 500, 500])
  await turns(2)
  await assertFree(t, lock)
})
