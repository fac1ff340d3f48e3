// executeTasks in several threads, with one limit per key for all of them.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { outcome, settlesWithin, waitUntil } from '../helpers/async.mjs'
import { assertFree, hold } from '../helpers/locks.mjs'
import { newName, startThread, startThreads } from '../helpers/threads.mjs'

/** Runs tasks under shared limits: `inside` counts per key over all threads, `peaks` keeps the highest. */
const pipeline = async ({ SynchronizerProvider }, name, limit, tasks, buffer) => {
  const [inside, peaks] = [new Int32Array(buffer, 0, 3), new Int32Array(buffer, 12, 3)]
  const provider = new SynchronizerProvider({ providerId: name, scope: 'process' })
  let done = 0
  await provider.executeTasks({
    maxTasksInFlight: 20,
    maxTasksInExecution: 6,
    taskSource: Array.from({ length: tasks }, (_, task) => ({ task })),
    limitPerKey: { key: (task) => `key ${task % 3}`, maxTasksInExecution: limit, synchronizers: provider },
    taskExecutor: async ({ task }) => {
      const key = task % 3
      const now = Atomics.add(inside, key, 1) + 1
      if (now > Atomics.load(peaks, key)) Atomics.store(peaks, key, now)
      await new Promise((resolve) => setImmediate(resolve))
      Atomics.sub(inside, key, 1)
      done++
    },
  })
  return done
}

for (const limit of [1, 2]) {
  test(`a limit per key of ${limit} holds over the pipelines of all threads`, async (t) => {
    const name = newName()
    const buffer = new SharedArrayBuffer(24)
    const counts = await settlesWithin(
      Promise.all([
        pipeline({ SynchronizerProvider }, name, limit, 120, buffer),
        ...startThreads(t, 3).map((thread) => thread.run(pipeline, name, limit, 120, buffer)),
      ]),
      30_000,
    )
    t.deepEqual(counts, [120, 120, 120, 120])
    t.deepEqual([...new Int32Array(buffer)], [0, 0, 0, limit, limit, limit])
    const provider = new SynchronizerProvider({ providerId: name, scope: 'process' })
    for (const key of ['key 0', 'key 1', 'key 2'])
      await assertFree(t, provider.forKey(key, limit), provider.forKey(key, limit).stats.maxConcurrentExecution)
  })
}

test('a key that another thread holds does not hold up tasks of other keys, and an abort leaves its queue', async (t) => {
  const name = newName()
  const lock = new SynchronizerProvider({ providerId: name, scope: 'process' }).forKey('a')
  const holder = await hold(lock)
  const thread = startThread(t)
  await thread.run(({ SynchronizerProvider, state }, name) => {
    const provider = new SynchronizerProvider({ providerId: name, scope: 'process' })
    state.controller = new AbortController()
    state.started = []
    state.run = provider.executeTasks({
      maxTasksInFlight: 4,
      taskSource: ['a1', 'b1', 'c1', 'a2'].map((task) => ({ task })),
      limitPerKey: { key: (task) => task[0], maxTasksInExecution: 1, synchronizers: provider },
      taskExecutor: async ({ task }) => {
        state.started.push(task)
      },
      signal: state.controller.signal,
    })
    state.run.catch(() => {})
  }, name)
  await waitUntil(async () => lock.stats.numberOfTasks === 3)
  await waitUntil(() => thread.run(({ state }) => state.started.length === 2))
  t.deepEqual(await thread.run(({ state }) => state.started), ['b1', 'c1'])
  await thread.run(({ state }) => state.controller.abort())
  t.like(await outcome(() => thread.run(({ state }) => state.run)), {
    status: 'rejected',
    reason: { name: 'AbortError' },
  })
  t.is(lock.stats.numberOfTasks, 1)
  await holder.release()
  await assertFree(t, lock)
})
