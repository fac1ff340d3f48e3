// Process scope: what threads share, and what stays each thread's own.
import test from 'ava'
import { Synchronizer, SynchronizerProvider } from '../../index.mjs'
import { isPending, settlesWithin, waitUntil } from '../helpers/async.mjs'
import { gcUntil } from '../helpers/gc.mjs'
import { assertFree, counts, hold } from '../helpers/locks.mjs'
import { newName, startThread, startThreads } from '../helpers/threads.mjs'

const shared = (providerId = newName(), extra = {}) =>
  new SynchronizerProvider({ providerId, scope: 'process', ...extra })

/** Increments a counter that a lost lock would corrupt, and tells the most that were ever inside. */
async function increment({ SynchronizerProvider }, providerId, limit, times, buffer) {
  const [counter, inside, peak] = [0, 1, 2]
  const shared = new Int32Array(buffer)
  const provider = new SynchronizerProvider({ providerId, scope: 'process' })
  await Promise.all(
    Array.from({ length: times }, (_, i) =>
      provider.forKey('key', limit).synchronized(async () => {
        const now = Atomics.add(shared, inside, 1) + 1
        if (now > Atomics.load(shared, peak)) Atomics.store(shared, peak, now)
        const seen = shared[counter]
        if (i % 4 === 0) await new Promise((resolve) => setImmediate(resolve))
        if (limit === 1) shared[counter] = seen + 1
        Atomics.sub(shared, inside, 1)
      }),
    ),
  )
}

test('the main thread and four workers exclude each other under one key', async (t) => {
  const name = newName()
  const buffer = new SharedArrayBuffer(12)
  const threads = startThreads(t, 4)
  await Promise.all([
    increment({ SynchronizerProvider }, name, 1, 300, buffer),
    ...threads.map((thread) => thread.run(increment, name, 1, 300, buffer)),
  ])
  t.deepEqual([...new Int32Array(buffer)], [1500, 0, 1])
  await assertFree(t, shared(name).forKey('key'))
})

/** Counts in shared memory, `together` sections at a time; tells how many grants each thread had when this one had finished. */
async function count({ SynchronizerProvider }, providerId, id, threads, times, together, buffer) {
  const [counter, granted, started] = [
    new Float64Array(buffer, 0, 1),
    new Int32Array(buffer, 8, threads),
    new Int32Array(buffer, 8 + 4 * threads, 1),
  ]
  const lock = new SynchronizerProvider({ providerId, scope: 'process' }).forKey('key')
  if (Atomics.add(started, 0, 1) + 1 === threads) Atomics.notify(started, 0)
  for (let now; (now = Atomics.load(started, 0)) < threads;) Atomics.wait(started, 0, now)
  let left = times
  const work = async () => {
    while (left-- > 0)
      await lock.synchronized(async () => {
        counter[0] += 1
        granted[id]++
      })
  }
  await Promise.all(Array.from({ length: together }, work))
  return { at: performance.timeOrigin + performance.now(), granted: [...granted] }
}

test('eight threads that count in shared memory lose no increment, and none of them starves', async (t) => {
  t.timeout(120_000)
  const name = newName()
  const [threads, times, together] = [8, 2000, 50]
  const buffer = new SharedArrayBuffer(8 + 4 * threads + 4)
  const ends = await Promise.all(
    startThreads(t, threads).map((thread, id) => thread.run(count, name, id, threads, times, together, buffer)),
  )
  t.is(new Float64Array(buffer, 0, 1)[0], threads * times)
  const [{ granted }] = ends.sort((a, b) => a.at - b.at)
  t.true(Math.max(...granted) / Math.min(...granted) <= 1.5, granted.join())
  await assertFree(t, shared(name).forKey('key'))
})

test('a limit holds over all threads together', async (t) => {
  const name = newName()
  const buffer = new SharedArrayBuffer(12)
  await Promise.all(startThreads(t, 3).map((thread) => thread.run(increment, name, 2, 200, buffer)))
  t.deepEqual([...new Int32Array(buffer).subarray(1)], [0, 2])
})

test('the first limit of a key wins in every thread, while the key is there', async (t) => {
  const name = newName()
  const thread = startThread(t)
  const limitOver = ({ SynchronizerProvider, state }, name, limit) => {
    state.provider ??= new SynchronizerProvider({ providerId: name, scope: 'process' })
    return state.provider.forKey('key', limit).stats.maxConcurrentExecution
  }
  const mine = shared(name)
  const lock = mine.forKey('key', 3)
  t.is(await thread.run(limitOver, name, 5), 3)
  t.is(lock.stats.maxConcurrentExecution, 3)
})

const holdOver = async ({ SynchronizerProvider, state }, name, key, scope = 'process') => {
  state.provider = new SynchronizerProvider({ providerId: name, scope })
  state.guard = await state.provider.forKey(key).acquire()
}
const releaseOver = ({ state }) => state.guard.release()

test('providers of another id, keys of another name and providers of thread scope are not concerned', async (t) => {
  const name = newName()
  const thread = startThread(t)
  await thread.run(holdOver, name, 'a\ud800')
  t.deepEqual(counts(shared(name).forKey('a\ud800')), { tasks: 1, running: 1 })
  for (const key of ['a\ud801', 'a', 'a\ufffd', '']) await assertFree(t, shared(name).forKey(key))
  await assertFree(t, shared(`${name}x`).forKey('a\ud800'))
  for (const scope of [undefined, 'thread']) {
    await assertFree(t, new SynchronizerProvider({ providerId: name, scope }).forKey('a\ud800'))
  }
  await thread.run(releaseOver)
  await assertFree(t, shared(name).forKey('a\ud800'))
})

test('thread scope is the default, also between providers of one id', async (t) => {
  const name = newName()
  const thread = startThread(t)
  await thread.run(holdOver, name, 'key', 'thread')
  await assertFree(t, new SynchronizerProvider({ providerId: name }).forKey('key'))
})

test('without an id to share, process scope is refused, and so is any other scope', (t) => {
  for (const providerId of [undefined, null, 7]) {
    t.throws(() => new SynchronizerProvider({ providerId, scope: 'process' }), {
      code: 'Invalid',
      message: /^providerId must be .*, but is /,
    })
  }
  t.throws(() => new Synchronizer({ scope: 'process' }), { code: 'Invalid', message: /^synchronizerId must be / })
  for (const scope of ['worker', '', null, true]) {
    t.throws(() => new SynchronizerProvider({ providerId: 'a', scope }), {
      code: 'Invalid',
      message: /^scope must be 'thread' or 'process', but is /,
    })
    t.throws(() => new SynchronizerProvider().createSynchronizer({ scope }), { code: 'Invalid' })
  }
})

test('bad keys and limits are refused as in thread scope', (t) => {
  const provider = shared()
  for (const limit of [0, -1, 1.5, NaN, Infinity, '2'])
    t.throws(() => provider.forKey('key', limit), { code: 'Invalid' })
  t.throws(() => provider.forKey(1), { code: 'Invalid' })
  t.throws(() => provider.createSynchronizer({ synchronizerId: newName(), maxConcurrentExecution: 0 }), {
    code: 'Invalid',
  })
  t.is(provider.numberOfKeys, 0)
})

test('forObject stays local', async (t) => {
  const name = newName()
  const thread = startThread(t)
  await thread.run(async ({ SynchronizerProvider, state }, name) => {
    state.guard = await new SynchronizerProvider({ providerId: name, scope: 'process' }).forObject({}).acquire()
  }, name)
  await assertFree(t, shared(name).forObject({}))
})

test('createSynchronizer shares by synchronizerId, from a provider of either scope', async (t) => {
  const name = newName()
  const thread = startThread(t)
  await thread.run(async ({ SynchronizerProvider, state }, name) => {
    const synchronizer = new SynchronizerProvider().createSynchronizer({
      synchronizerId: name,
      scope: 'process',
      maxConcurrentExecution: 2,
    })
    state.guards = [await synchronizer.acquire(), await synchronizer.acquire()]
  }, name)
  const locks = [
    new SynchronizerProvider().createSynchronizer({
      synchronizerId: name,
      scope: 'process',
      maxConcurrentExecution: 9,
    }),
    shared().createSynchronizer({ synchronizerId: name }),
    new Synchronizer({ synchronizerId: name, scope: 'process' }),
  ]
  for (const lock of locks) {
    t.deepEqual(lock.stats, { maxConcurrentExecution: 2, numberOfTasks: 2, numberOfRunningTasks: 2 })
    await t.throwsAsync(
      lock.throttle().synchronized(async () => {}),
      { code: 'Throttle' },
    )
  }
  await assertFree(t, new SynchronizerProvider().createSynchronizer({ synchronizerId: name }))
  await assertFree(t, shared().createSynchronizer())
  await thread.run(({ state }) => state.guards.forEach((guard) => guard.release()))
  await assertFree(t, locks[0], 2)
})

test('a provider and a synchronizer of one name do not meet', async (t) => {
  const name = newName()
  const lock = shared(name).forKey('synchronizers')
  const holder = await hold(lock)
  await assertFree(t, new Synchronizer({ synchronizerId: name, scope: 'process' }))
  await assertFree(t, shared('synchronizers').forKey('synchronizers'))
  await holder.release()
})

test('two providers of one id in one thread are one lock, and re-entry passes between them', async (t) => {
  const name = newName()
  const [one, two] = [shared(name).forKey('key'), shared(name).forKey('key')]
  t.not(one, two)
  const value = await settlesWithin(one.synchronized(() => two.synchronized(async () => counts(two))))
  t.deepEqual(value, { tasks: 1, running: 1 })
  await t.throwsAsync(
    one.synchronized(() => two.acquire()),
    { code: 'ReentrantExecution' },
  )
  const holder = await hold(one)
  const waiting = two.synchronized(async () => {})
  t.true(await isPending(waiting))
  await holder.release()
  await waiting
  await assertFree(t, two)
})

test('re-entry stays inside a thread: another one waits', async (t) => {
  const name = newName()
  const thread = startThread(t)
  const lock = shared(name).forKey('key')
  const enter = async ({ SynchronizerProvider }, name) => {
    const lock = new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('key')
    return lock.synchronized(() => lock.synchronized(async () => 'entered'))
  }
  const entered = await lock.synchronized(async () => {
    const entered = thread.run(enter, name)
    await waitUntil(() => lock.stats.numberOfTasks === 2)
    t.true(await isPending(entered))
    return { entered }
  })
  t.is(await entered.entered, 'entered')
})

test('stats are those of the process, and events those of the thread with the stats of the process', async (t) => {
  const name = newName()
  const thread = startThread(t)
  const events = []
  const lock = shared(name, {
    onEvent: ({ type, stats }) => events.push([type, stats.numberOfTasks, stats.numberOfRunningTasks]),
  }).forKey('key', 3)
  await thread.run(async ({ SynchronizerProvider, state }, name) => {
    state.events = []
    const provider = new SynchronizerProvider({
      providerId: name,
      scope: 'process',
      onEvent: ({ type, context }) => state.events.push([type, context.providerId]),
    })
    state.guards = [await provider.forKey('key').acquire(), await provider.forKey('key').acquire()]
  }, name)
  t.deepEqual(lock.stats, { maxConcurrentExecution: 3, numberOfTasks: 2, numberOfRunningTasks: 2 })
  t.deepEqual(events, [])
  await lock.synchronized(async () => {})
  t.deepEqual(events, [
    ['Acquire', 3, 2],
    ['Acquired', 3, 3],
    ['Release', 2, 2],
    ['Finish', 2, 2],
  ])
  const theirs = await thread.run(({ state }) => {
    state.guards.forEach((guard) => guard.release())
    return state.events
  })
  t.deepEqual(
    theirs.map(([type]) => type),
    ['Acquire', 'Acquired', 'Acquire', 'Acquired', 'Release', 'Finish', 'Release', 'Finish'],
  )
  t.true(theirs.every(([, providerId]) => providerId === name))
  t.deepEqual(counts(lock), { tasks: 0, running: 0 })
})

test('executions of two threads have different ids', async (t) => {
  const name = newName()
  const thread = startThread(t)
  const ids = ({ SynchronizerProvider }, name) => {
    const lock = new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('key')
    return Promise.all(Array.from({ length: 100 }, () => lock.synchronized(async ({ executionId }) => executionId)))
  }
  const all = await Promise.all([ids({ SynchronizerProvider }, name), thread.run(ids, name)])
  t.is(new Set(all.flat()).size, 200)
})

test('a key is there while any thread holds, waits for or references it, and then vanishes everywhere', async (t) => {
  const name = newName()
  const thread = startThread(t)
  const mine = shared(name)
  await thread.run(holdOver, name, 'key')
  t.is(mine.numberOfKeys, 1)
  await thread.run(({ state }) => {
    state.guard.release()
    state.lock = state.provider.forKey('key')
  })
  t.is(mine.numberOfKeys, 1)
  await thread.run(({ state }) => {
    state.lock = state.guard = undefined
  })
  const collect = async ({ state }) => {
    const { gcUntil } = await import(state.helpers)
    return gcUntil(() => state.provider.numberOfKeys === 0)
  }
  await thread.run(
    ({ state }, helpers) => {
      state.helpers = helpers
    },
    new URL('../helpers/gc.mjs', import.meta.url).href,
  )
  t.true(await thread.run(collect))
  t.true(await gcUntil(() => mine.numberOfKeys === 0))
  // The next one decides anew.
  t.is(mine.forKey('key', 4).stats.maxConcurrentExecution, 4)
})
