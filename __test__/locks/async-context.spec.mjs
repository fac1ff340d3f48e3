// AsyncLocalStorage: whoever has to wait is called back in its own context, not in that of the releaser.
import { AsyncLocalStorage } from 'node:async_hooks'
import test from 'ava'
import { CachedProvider, CoreSemaphore, LazyInitializer, Semaphore, SynchronizerProvider } from '../../index.mjs'
import { sleep, turn } from '../helpers/async.mjs'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'
import { kindsOfLock, newSynchronizer } from '../helpers/locks.mjs'

const storage = new AsyncLocalStorage()

const ways = {
  ...Object.fromEntries(
    Object.entries(kindsOfLock).map(([kind, make]) => [kind, { make, call: (lock, cb) => lock.synchronized(cb) }]),
  ),
  'object form': { make: newSynchronizer, call: (lock, cb) => lock.synchronized({ cb }) },
  signal: {
    make: newSynchronizer,
    call: (lock, cb) => lock.synchronized({ cb, signal: new AbortController().signal }),
  },
  'timeout view': { make: newSynchronizer, call: (lock, cb) => lock.timeout(60_000).synchronized(cb) },
  guard: {
    make: newSynchronizer,
    call: async (lock, cb) => {
      const guard = await lock.acquire()
      try {
        return await cb()
      } finally {
        guard.release()
      }
    },
  },
}

for (const [way, { make, call }] of Object.entries(ways)) {
  test(`${way}: a callback that had to wait sees its caller's store, also across awaits`, async (t) => {
    const lock = make(1)
    const seen = await Promise.all(
      [1, 2, 3].map((i) =>
        storage.run(i, () =>
          call(lock, async () => {
            const first = storage.getStore()
            await sleep(5)
            return [first, storage.getStore()]
          }),
        ),
      ),
    )
    t.deepEqual(seen, [
      [1, 1],
      [2, 2],
      [3, 3],
    ])
  })

  test(`${way}: the caller goes on in its own context, whether the call fails or not`, async (t) => {
    const lock = make(1)
    await Promise.all(
      [1, 2, 3].map((i) =>
        storage.run(i, async () => {
          await call(lock, async () => {
            await turn()
            if (i === 2) throw new Error('boom')
          }).catch(() => {})
          t.is(storage.getStore(), i)
        }),
      ),
    )
    t.is(storage.getStore(), undefined)
  })
}

test('a store set inside a section does not leak into the next one', async (t) => {
  const lock = newSynchronizer()
  const seen = []
  await Promise.all(
    [1, 2, 3].map((i) =>
      lock.synchronized(async () => {
        seen.push(storage.getStore())
        storage.enterWith(i)
        await turn()
      }),
    ),
  )
  t.deepEqual(seen, [undefined, undefined, undefined])
})

test('onEvent sees the store of the call that the event is about', async (t) => {
  const seen = new Map()
  const provider = new SynchronizerProvider({
    onEvent: ({ type, context }) => {
      if (!seen.has(context.executionId)) seen.set(context.executionId, [])
      seen.get(context.executionId).push([type, storage.getStore()])
    },
  })
  await Promise.all(
    [1, 2, 3].map((i) =>
      storage.run(i, () => provider.forKey('key').synchronized({ executionId: `e${i}`, cb: () => turn() })),
    ),
  )
  for (const i of [1, 2, 3]) {
    t.deepEqual(seen.get(`e${i}`), [
      ['Acquire', i],
      ['Acquired', i],
      ['Release', i],
      ['Finish', i],
    ])
  }
})

test("onEvent of a Semaphore call sees its caller's store", async (t) => {
  const semaphore = new Semaphore(1)
  await Promise.all(
    [1, 2, 3].map((i) =>
      storage.run(i, () =>
        semaphore.synchronized(() => turn(), {
          onEvent: (type) => {
            t.is(storage.getStore(), i, type)
          },
        }),
      ),
    ),
  )
})

test('task callbacks of executeTasks see the store of its caller', async (t) => {
  const run = (i) =>
    storage.run(i, async () => {
      const seen = []
      await new SynchronizerProvider().executeTasks({
        maxTasksInFlight: 3,
        maxTasksInExecution: 2,
        taskSource: (async function* () {
          for (let task = 0; task < 6; task++) {
            await turn()
            yield { task }
          }
        })(),
        taskExecutor: async ({ task }) => {
          seen.push(storage.getStore())
          await sleep(1)
          seen.push(storage.getStore())
          if (task % 2) throw new Error('boom')
        },
        onTaskError: () => {
          seen.push(storage.getStore())
        },
      })
      t.is(storage.getStore(), i)
      return seen
    })
  const results = await Promise.all([1, 2, 3].map(run))
  results.forEach((seen, index) => {
    t.is(seen.length, 15)
    t.deepEqual([...new Set(seen)], [index + 1])
  })
})

test("limitPerKey keeps the store of executeTasks' caller, although outsiders release the key", async (t) => {
  const synchronizers = new SynchronizerProvider()
  const seen = []
  const outsider = storage.run('outsider', () => synchronizers.forKey('key').synchronized(() => sleep(10)))
  await storage.run('caller', () =>
    new SynchronizerProvider().executeTasks({
      maxTasksInFlight: 5,
      taskSource: Array.from({ length: 5 }, (_, task) => ({ task })),
      taskExecutor: async () => {
        seen.push(storage.getStore())
        await turn()
      },
      limitPerKey: { key: () => 'key', maxTasksInExecution: 1, synchronizers },
    }),
  )
  await outsider
  t.deepEqual(seen, Array(5).fill('caller'))
})

test('the factories of LazyInitializer and CachedProvider see the store of who asked', async (t) => {
  const lazy = new LazyInitializer(async () => {
    await turn()
    return storage.getStore()
  })
  t.is(await storage.run('lazy', () => lazy.get()), 'lazy')

  const cached = new CachedProvider({
    factory: async () => {
      await turn()
      return storage.getStore()
    },
    synchronizerProvider: new SynchronizerProvider(),
  })
  // A value of the same millisecond is fresh enough for 0.
  for (const i of [1, 2, 3]) t.is(await storage.run(i, () => cached.get(-1)), i)
})

test('waitComplete and waitCompleteAll go on in the context of who waits', async (t) => {
  const semaphore = new CoreSemaphore(1)
  const run = storage.run('worker', () => semaphore.synchronized(() => turn()))
  await storage.run('waiter', async () => {
    await Promise.all([semaphore.waitComplete(), semaphore.waitCompleteAll()])
    t.is(storage.getStore(), 'waiter')
  })
  await run
})

test('async resources are destroyed once, however an iteration or a wait ends', async (t) => {
  const run = await runFixture('async-resources.mjs', { nodeArgs: ['--expose-gc'] })
  assertCleanEnd(t, run)
  t.deepEqual(run.result, { made: true, alive: [], again: 0 })
})
