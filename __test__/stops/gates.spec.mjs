// Limits per key that are those of synchronizers: whatever way a run stops, and whatever a synchronizer does wrong, no key stays locked.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { deferred, outcome, settlesWithin, turn, turns, waitUntil } from '../helpers/async.mjs'
import { assertFree, counts, hold } from '../helpers/locks.mjs'
import { tasks } from '../helpers/sources.mjs'

const sp = new SynchronizerProvider()
let providers = 0
const scopes = {
  'of this thread': () => new SynchronizerProvider(),
  'of the process': () => new SynchronizerProvider({ providerId: `gates ${providers++}`, scope: 'process' }),
}
const limitOf = synchronizers => ({ key: task => `key ${task % 2}`, maxTasksInExecution: 1, synchronizers })
const assertKeysFree = async (t, synchronizers) => {
  for (const key of ['key 0', 'key 1']) await assertFree(t, synchronizers.forKey(key))
}

async function collect(iterable) {
  const results = []
  for await (const result of iterable) results.push(result)
  return results
}

for (const [scope, provider] of Object.entries(scopes)) {
  for (const ordered of [true, false]) {
    const order = ordered ? 'in order' : 'as they end'
    test(`mapTasks under synchronizers ${scope} gives the results of its mappers ${order}`, async t => {
      const synchronizers = provider()
      const results = await settlesWithin(collect(sp.mapTasks({
        maxTasksInFlight: 4, taskSource: tasks(20), ordered, limitPerKey: limitOf(synchronizers), taskMapper: async ({ task }) => task * 2,
      })))
      t.deepEqual(results.sort((a, b) => a - b), Array.from({ length: 20 }, (_, i) => i * 2))
      await assertKeysFree(t, synchronizers)
    })

    test(`a mapper that fails leaves no key of synchronizers ${scope} locked, with results ${order}`, async t => {
      const synchronizers = provider()
      const reason = new Error('mapper')
      const taskMapper = async ({ task }) => {
        await turn()
        if (task === 3) throw reason
        return task
      }
      const params = { maxTasksInFlight: 8, maxTasksInExecution: 2, taskSource: tasks(20), ordered, limitPerKey: limitOf(synchronizers), taskMapper }
      t.is((await settlesWithin(outcome(() => collect(sp.mapTasks(params))))).reason, reason)
      await assertKeysFree(t, synchronizers)
    })

    test(`a consumer that leaves the loop leaves no key of synchronizers ${scope} locked, with results ${order}`, async t => {
      const synchronizers = provider()
      const params = { maxTasksInFlight: 8, maxTasksInExecution: 1, taskSource: tasks(20), ordered, limitPerKey: limitOf(synchronizers), taskMapper: () => turn() }
      for await (const _ of sp.mapTasks(params)) break
      await assertKeysFree(t, synchronizers)
    })
  }

  test(`tasks that wait in the queue of a synchronizer ${scope} leave it when a mapper fails`, async t => {
    const synchronizers = provider()
    const holder = await hold(synchronizers.forKey('key 0', 1))
    const taskMapper = async ({ task }) => { throw new Error(`task ${task}`) }
    const params = { maxTasksInFlight: 8, taskSource: tasks(6), limitPerKey: limitOf(synchronizers), taskMapper }
    const result = await settlesWithin(outcome(() => collect(sp.mapTasks(params))))
    t.is(result.reason.message, 'task 1')
    t.deepEqual(counts(synchronizers.forKey('key 0')), { tasks: 1, running: 1 })
    await holder.release()
    await assertKeysFree(t, synchronizers)
  })
}

test('a task keeps the key while it waits for its place, and gives it back when the run is aborted', async t => {
  const synchronizers = new SynchronizerProvider()
  const controller = new AbortController()
  const gate = deferred()
  const run = outcome(() => sp.executeTasks({
    maxTasksInFlight: 4, maxTasksInExecution: 1, taskSource: tasks(4), taskExecutor: () => gate.promise, limitPerKey: limitOf(synchronizers), signal: controller.signal,
  }))
  await waitUntil(() => counts(synchronizers.forKey('key 1')).running === 1)
  controller.abort('stop')
  await turns(2)
  t.deepEqual(counts(synchronizers.forKey('key 1')), { tasks: 0, running: 0 }, 'the task had not begun')
  t.deepEqual(counts(synchronizers.forKey('key 0')), { tasks: 1, running: 1 }, 'the task runs')
  gate.resolve()
  t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
  await assertKeysFree(t, synchronizers)
})

/** Runs six tasks on a provider whose synchronizers are `synchronized`; what each came to, and how the run ended. */
async function runOn(synchronized, params = {}) {
  const done = []
  const failed = []
  const result = await settlesWithin(outcome(() => sp.executeTasks({
    maxTasksInFlight: 3,
    maxTasksInExecution: 1,
    taskSource: tasks(6),
    taskExecutor: async ({ task }) => {
      await turn()
      done.push(task)
    },
    onTaskError: (error, { task }) => { failed.push([task, error.message ?? error]) },
    limitPerKey: { key: task => `key ${task}`, maxTasksInExecution: 1, synchronizers: { forKey: (key, limit) => ({ synchronized: full => synchronized(full, key, limit) }) } },
    ...params,
  })))
  return { done, failed, result }
}

test('a synchronizer that rejects fails its task, and the rest goes on', async t => {
  const { done, failed, result } = await runOn(async ({ cb }, key) => { if (key === 'key 2') throw new Error('no lock'); return cb() })
  t.deepEqual(done, [0, 1, 3, 4, 5])
  t.deepEqual(failed, [[2, 'no lock']])
  t.is(result.status, 'fulfilled')
})

test('a synchronizer that rejects makes the run reject where no handler is told', async t => {
  const { done, result } = await runOn(async ({ cb }, key) => { if (key === 'key 2') throw new Error('no lock'); return cb() }, { onTaskError: undefined })
  t.deepEqual(done, [0, 1, 3, 4, 5])
  t.is(result.reason.message, 'no lock')
})

test('a synchronizer that gives up on a task which waits for its place fails it, and it runs no more', async t => {
  const { done, failed } = await runOn(({ cb }, key) => {
    const section = cb()
    return key === 'key 1' ? Promise.reject(new Error('gave up')) : section
  })
  t.deepEqual(done, [0, 2, 3, 4, 5])
  t.deepEqual(failed, [[1, 'gave up']])
})

test('a synchronizer that gives up on a task which runs fails it once it has ended', async t => {
  const ends = []
  const { done, failed } = await runOn(async ({ cb }, key) => {
    const section = cb()
    if (key !== 'key 0') return section
    await turn()
    throw new Error('gave up')
  }, { maxTasksInFlight: 1, taskExecutor: async ({ task }) => { await turns(5); ends.push(task) } })
  t.deepEqual(ends, [0, 1, 2, 3, 4, 5])
  t.deepEqual([done, failed], [[], [[0, 'gave up']]])
})

test('a synchronizer that never calls back fails its task instead of keeping it', async t => {
  const { done, failed } = await runOn(async ({ cb }, key) => key === 'key 4' ? undefined : cb())
  t.deepEqual(done, [0, 1, 2, 3, 5])
  t.deepEqual(failed.map(([task]) => task), [4])
  t.regex(failed[0][1], /must run each callback inside a section.*"key 4"/)
})

test('a synchronizer that calls back twice runs the task once', async t => {
  const { done, failed } = await runOn(async ({ cb }) => { await Promise.all([cb(), cb()]) })
  t.deepEqual([done, failed], [[0, 1, 2, 3, 4, 5], []])
})

test('a synchronizer that calls back after the run has ended starts nothing, and is let go at once', async t => {
  const controller = new AbortController()
  const late = []
  const run = runOn(({ cb }) => new Promise(resolve => { late.push(() => resolve(cb())) }), { signal: controller.signal })
  await waitUntil(() => late.length === 3)
  controller.abort('stop')
  const { done, failed, result } = await run
  t.deepEqual(result, { status: 'rejected', reason: 'stop' })
  // Another pipeline may have the place of the first by now.
  const other = sp.executeTasks({ maxTasksInFlight: 2, taskSource: tasks(3), taskExecutor: () => turns(3) })
  t.deepEqual(await settlesWithin(Promise.all(late.map(call => call()))), [undefined, undefined, undefined])
  await settlesWithin(other)
  t.deepEqual([done, failed], [[], []])
})

for (const [what, forKey, message] of [
  ['throws', () => { throw new Error('no key') }, /no key/],
  ['gives nothing', () => undefined, /synchronized/],
  ['gives what throws at once', () => ({ synchronized() { throw new Error('at once') } }), /at once/],
]) {
  test(`a forKey that ${what} fails the tasks, and their places are free`, async t => {
    const failed = []
    await settlesWithin(sp.executeTasks({
      maxTasksInFlight: 2, taskSource: tasks(5), taskExecutor: async () => t.fail(), onTaskError: error => { failed.push(error.message) },
      limitPerKey: { key: String, maxTasksInExecution: 1, synchronizers: { forKey } },
    }))
    t.is(failed.length, 5)
    for (const text of failed) t.regex(text, message)
  })
}

test('an abort within forKey lets its task go too', async t => {
  const controller = new AbortController()
  const { done, result } = await runOn(({ cb }) => { controller.abort('stop'); return cb() }, { signal: controller.signal })
  t.deepEqual(result, { status: 'rejected', reason: 'stop' })
  t.deepEqual(done, [])
})

test('an abort at each possible moment frees every key, and starts no task afterwards', async t => {
  for (let moment = 0; moment < 150; moment++) {
    const synchronizers = new SynchronizerProvider()
    const locks = ['key 0', 'key 1'].map(key => synchronizers.forKey(key, 1))
    const controller = new AbortController()
    let after = 0
    const taskExecutor = async () => { if (controller.signal.aborted) after++; for (let i = 0; i < 3; i++) await null }
    const run = outcome(() => sp.executeTasks({ maxTasksInFlight: 3, maxTasksInExecution: 1, taskSource: tasks(6), taskExecutor, limitPerKey: limitOf(synchronizers), signal: controller.signal }))
    for (let i = 0; i < moment; i++) await null
    controller.abort('stop')
    await settlesWithin(run)
    t.is(after, 0)
    t.deepEqual(locks.map(counts), [{ tasks: 0, running: 0 }, { tasks: 0, running: 0 }], `after ${moment} microtasks`)
    for (const lock of locks) t.is(await lock.throttle().synchronized(async () => 'entered'), 'entered')
  }
})
