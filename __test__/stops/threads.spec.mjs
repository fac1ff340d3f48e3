// A worker that is terminated, or ends, in the middle of a run gives back what its tasks hold of keys that threads share.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { settlesWithin, waitUntil } from '../helpers/async.mjs'
import { newName, startThread } from '../helpers/threads.mjs'

const runs = {
  executeTasks: async ({ SynchronizerProvider, state }, providerId) => {
    const synchronizers = new SynchronizerProvider({ providerId, scope: 'process' })
    const taskSource = Array.from({ length: 6 }, (_, task) => ({ task }))
    const limitPerKey = { key: task => `key ${task % 2}`, maxTasksInExecution: 1, synchronizers }
    state.run = synchronizers.executeTasks({ maxTasksInFlight: 4, maxTasksInExecution: 1, taskSource, limitPerKey, taskExecutor: () => new Promise(() => {}) })
  },
  mapTasks: async ({ SynchronizerProvider, state }, providerId) => {
    const synchronizers = new SynchronizerProvider({ providerId, scope: 'process' })
    const taskSource = Array.from({ length: 6 }, (_, task) => ({ task }))
    const limitPerKey = { key: task => `key ${task % 2}`, maxTasksInExecution: 1, synchronizers }
    state.run = synchronizers.mapTasks({ maxTasksInFlight: 4, maxTasksInExecution: 1, taskSource, limitPerKey, taskMapper: () => new Promise(() => {}) }).next()
  },
}

for (const [name, run] of Object.entries(runs)) {
  test(`a worker that is terminated while ${name} holds one key and waits with another frees both`, async t => {
    const providerId = newName()
    const provider = new SynchronizerProvider({ providerId, scope: 'process' })
    const locks = ['key 0', 'key 1'].map(key => provider.forKey(key, 1))
    const thread = startThread(t)
    await thread.run(run, providerId)
    // Tasks 0 and 1 have the permits; 2 and 3 wait for them.
    await waitUntil(() => locks.every(({ stats }) => stats.numberOfTasks === 2 && stats.numberOfRunningTasks === 1))
    const entered = locks.map(lock => lock.synchronized(async () => 'entered'))
    await thread.terminate()
    t.deepEqual(await settlesWithin(Promise.all(entered)), ['entered', 'entered'])
    for (const { stats } of locks) t.is(stats.numberOfTasks, 0)
  })
}
