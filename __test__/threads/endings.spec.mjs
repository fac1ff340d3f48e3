// Threads that end while they hold or wait: their permits go on to the next, and nobody else notices.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { settlesWithin, waitUntil } from '../helpers/async.mjs'
import { assertFree, counts, hold } from '../helpers/locks.mjs'
import { newName, startThread, startThreads } from '../helpers/threads.mjs'

const lockOf = (name, limit = 1) =>
  new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('key', limit)

/** Occupies the permit in one way, for ever. */
const occupy = async ({ SynchronizerProvider, state }, name, way) => {
  const provider = new SynchronizerProvider({ providerId: name, scope: 'process' })
  const inside = new Promise((resolve) => {
    const ways = {
      async section() {
        state.lock = provider.forKey('key')
        state.lock.synchronized(() => new Promise(() => resolve()))
      },
      async guard() {
        state.guard = await provider.forKey('key').acquire()
        resolve()
      },
      async pipeline() {
        provider.executeTasks({
          maxTasksInFlight: 3,
          taskSource: [{ task: 1 }, { task: 2 }],
          limitPerKey: { key: () => 'key', maxTasksInExecution: 1, synchronizers: provider },
          taskExecutor: () => new Promise(() => resolve()),
        })
      },
    }
    ways[way]()
  })
  await inside
}

/** Ends the thread in one way. */
const endings = {
  ends: (thread) => thread.post(({ parentPort }) => parentPort.close()),
  throws: (thread) =>
    thread.post(
      () =>
        void setImmediate(() => {
          throw new Error('the thread broke')
        }),
    ),
  rejects: (thread) => thread.post(() => void Promise.reject(new Error('the thread broke'))),
  'calls process.exit': (thread) => thread.post(() => process.exit(3)),
  'is terminated': (thread) => thread.terminate(),
  'is terminated in a busy loop': async (thread) => {
    await thread.spin()
    await thread.terminate()
  },
}

for (const [ending, end] of Object.entries(endings)) {
  for (const way of ['section', 'guard', 'pipeline']) {
    test(`a thread that ${ending} gives up what it holds (${way})`, async (t) => {
      const name = newName()
      const [thread, other] = startThreads(t, 2)
      await thread.run(occupy, name, way)
      const lock = lockOf(name)
      const permitAt = lock.synchronized(async () => performance.now())
      const next = other.run(
        ({ SynchronizerProvider }, name) =>
          new SynchronizerProvider({ providerId: name, scope: 'process' })
            .forKey('key')
            .synchronized(async () => 'entered'),
        name,
      )
      await waitUntil(() => lock.stats.numberOfTasks === (way === 'pipeline' ? 4 : 3))
      // Its second task stands in the queue before the others, and leaves it with the thread.
      const exitedAt = thread.exited.then(() => performance.now())
      end(thread)
      t.true((await settlesWithin(permitAt)) - (await exitedAt) < 1000)
      t.is(await settlesWithin(next), 'entered')
      await assertFree(t, lock)
      t.is(thread.failure?.message, ['throws', 'rejects'].includes(ending) ? 'the thread broke' : undefined)
    })
  }
}

for (const ending of ['throws', 'calls process.exit', 'is terminated']) {
  test(`a thread that ${ending} leaves the queues it waits in`, async (t) => {
    const name = newName()
    const lock = lockOf(name)
    const holder = await hold(lock)
    const [thread, other] = startThreads(t, 2)
    await thread.run(({ SynchronizerProvider, state }, name) => {
      const lock = new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('key')
      state.waits = [
        lock.synchronized(() => new Promise(() => {})),
        lock.timeout(60_000).synchronized(() => new Promise(() => {})),
        lock.acquire({ signal: new AbortController().signal }),
      ]
    }, name)
    t.is(lock.stats.numberOfTasks, 4)
    const next = other.run(
      ({ SynchronizerProvider }, name) =>
        new SynchronizerProvider({ providerId: name, scope: 'process' })
          .forKey('key')
          .synchronized(async () => 'entered'),
      name,
    )
    await waitUntil(() => lock.stats.numberOfTasks === 5)
    endings[ending](thread)
    await thread.exited
    t.deepEqual(counts(lock), { tasks: 2, running: 1 })
    await holder.release()
    t.is(await settlesWithin(next), 'entered')
    await assertFree(t, lock)
  })
}

test('a permit whose guard and section were forgotten comes back when its thread ends', async (t) => {
  const name = newName()
  const thread = startThread(t)
  await thread.run(
    async ({ SynchronizerProvider }, name, helpers) => {
      const { gcUntil } = await import(helpers)
      const collected = await (async () => {
        const provider = new SynchronizerProvider({ providerId: name, scope: 'process' })
        const lock = provider.forKey('key', 2)
        await lock.acquire()
        await new Promise((resolve) => {
          lock.synchronized(() => new Promise(() => resolve()))
        })
        return [new WeakRef(lock), new WeakRef(provider)]
      })()
      if (!(await gcUntil(() => collected.every((reference) => reference.deref() === undefined))))
        throw new Error('not collected')
      // The sweep that closes what was collected comes in a later turn.
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
    },
    name,
    new URL('../helpers/gc.mjs', import.meta.url).href,
  )
  const lock = lockOf(name)
  t.deepEqual(lock.stats, { maxConcurrentExecution: 2, numberOfTasks: 2, numberOfRunningTasks: 2 })
  const waiting = lock.synchronized(async () => 'entered')
  await thread.terminate()
  t.is(await settlesWithin(waiting), 'entered')
  await assertFree(t, lock, 2)
})

test('permits on the way to a thread that ends are passed on', async (t) => {
  const name = newName()
  const lock = lockOf(name, 2)
  for (let i = 0; i < 10; i++) {
    const holder = await hold(lock, 2)
    const thread = startThread(t)
    await thread.run(({ SynchronizerProvider, state }, name) => {
      const lock = new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('key')
      state.waits = Array.from({ length: 20 }, () => lock.synchronized(async () => {}))
    }, name)
    // It hears of nothing while it is busy, so that the grants lie in its mailbox when it ends.
    await thread.spin()
    await holder.release()
    await thread.terminate()
    await assertFree(t, lock, 2)
  }
})

test('threads killed at random moments lose no permit of those who work on', async (t) => {
  const name = newName()
  const work = async ({ SynchronizerProvider }, name, rounds) => {
    const provider = new SynchronizerProvider({ providerId: name, scope: 'process' })
    let done = 0
    const loop = async (seed) => {
      for (let i = 0; i < rounds; i++) {
        await provider.forKey(`key ${(seed * 7 + i) % 20}`).synchronized(async () => {
          if (i % 5 === 0) await new Promise((resolve) => setImmediate(resolve))
          done++
        })
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, seed) => loop(seed)))
    return done
  }
  const workers = startThreads(t, 2).map((thread) => thread.run(work, name, 200))
  for (let i = 0; i < 8; i++) {
    const thread = startThread(t)
    thread.post(work, name, 1e9)
    await new Promise((resolve) => setTimeout(resolve, 60 + Math.random() * 60))
    await thread.terminate()
  }
  t.deepEqual(await Promise.all(workers), [4000, 4000])
  const provider = new SynchronizerProvider({ providerId: name, scope: 'process' })
  for (let i = 0; i < 20; i++) await assertFree(t, provider.forKey(`key ${i}`))
})
