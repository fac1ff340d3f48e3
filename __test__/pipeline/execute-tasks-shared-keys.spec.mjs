// limitPerKey with synchronizers: the limit of a key is shared with everybody who uses the provider.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { outcome, settlesWithin, sleep, turn, turns, waitUntil } from '../helpers/async.mjs'
import { gcUntil } from '../helpers/gc.mjs'
import { assertFree, counts, hold } from '../helpers/locks.mjs'
import { key, named, steered } from '../helpers/steered.mjs'

const execute = (params) => new SynchronizerProvider().executeTasks({ maxTasksInFlight: 10, ...params })

test('without synchronizers two runs do not limit each other', async (t) => {
  const provider = new SynchronizerProvider()
  const one = steered()
  const params = { maxTasksInFlight: 5, limitPerKey: { key, maxTasksInExecution: 1 } }
  const blocked = provider.executeTasks({ ...params, taskSource: named('a1'), taskExecutor: one.executor })
  await turns(3)
  const holder = await hold(provider.forKey('a'))
  await settlesWithin(provider.executeTasks({ ...params, taskSource: named('a1 a2'), taskExecutor: () => turn() }))
  await holder.release()
  await one.finishAll()
  await blocked
  t.pass()
})

test('with synchronizers the limit is that of forKey(key), shared with everybody who uses it', async (t) => {
  const synchronizers = new SynchronizerProvider()
  const holder = await hold(synchronizers.forKey('a', 1))
  const { started, executor, finish, finishAll } = steered()
  const run = execute({
    taskSource: named('a1 b1 a2'),
    taskExecutor: executor,
    limitPerKey: { key, maxTasksInExecution: 1, synchronizers },
  })
  await turns(5)
  t.deepEqual(started, ['b1'], 'an outsider holds a')
  t.is(synchronizers.forKey('b').stats.maxConcurrentExecution, 1)
  await t.throwsAsync(
    synchronizers
      .forKey('b')
      .throttle()
      .synchronized(async () => t.fail()),
    { code: 'Throttle' },
  )
  await holder.release()
  await waitUntil(() => started.length === 2)
  t.deepEqual(started, ['b1', 'a1'])
  const outsider = synchronizers.forKey('a').synchronized(async () => {
    started.push('outsider')
  })
  await turns(3)
  t.is(started.length, 2)
  finish('a1')
  await turns(5)
  await finishAll()
  await settlesWithin(Promise.all([run, outsider]))
  t.deepEqual(started.slice(2).sort(), ['a2', 'outsider'])
  await assertFree(t, synchronizers.forKey('a'))
  await assertFree(t, synchronizers.forKey('b'))
})

test('with synchronizers the limit given is that of a fresh key; an existing one keeps its own', async (t) => {
  const synchronizers = new SynchronizerProvider()
  const existing = synchronizers.forKey('e', 3)
  const { started, executor, finishAll } = steered()
  const run = execute({
    taskSource: named('e1 e2 e3 e4 f1 f2'),
    taskExecutor: executor,
    limitPerKey: { key, maxTasksInExecution: 1, synchronizers },
  })
  await turns(5)
  t.deepEqual(started.toSorted(), ['e1', 'e2', 'e3', 'f1'])
  t.deepEqual(counts(existing).running, 3)
  await finishAll()
  await settlesWithin(run)
  await assertFree(t, existing, 3)
})

test('with synchronizers two pipelines share a key', async (t) => {
  const synchronizers = new SynchronizerProvider()
  let inside = 0
  let peak = 0
  const params = {
    taskSource: named('a1 a2 a3 a4 a5'),
    taskExecutor: async () => {
      peak = Math.max(peak, ++inside)
      await sleep(1)
      inside--
    },
    limitPerKey: { key, maxTasksInExecution: 1, synchronizers },
  }
  await settlesWithin(Promise.all([execute(params), execute(params), execute(params)]))
  t.is(peak, 1)
})

test('with synchronizers an abort does not wait for an outsider who holds the key', async (t) => {
  const synchronizers = new SynchronizerProvider()
  const lock = synchronizers.forKey('a', 1)
  const holder = await hold(lock)
  const controller = new AbortController()
  const run = outcome(() =>
    execute({
      taskSource: named('a1 a2'),
      taskExecutor: async () => t.fail(),
      limitPerKey: { key, maxTasksInExecution: 1, synchronizers },
      signal: controller.signal,
    }),
  )
  await turns(5)
  controller.abort('stop')
  t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
  t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  await holder.release()
  await assertFree(t, lock)
})

test('with synchronizers a task may enter the section of its own key', async (t) => {
  const synchronizers = new SynchronizerProvider()
  const seen = []
  await settlesWithin(
    execute({
      taskSource: named('a1 a2 b1'),
      taskExecutor: ({ task }) =>
        synchronizers.forKey(key(task)).synchronized(async () => {
          seen.push(task)
        }),
      limitPerKey: { key, maxTasksInExecution: 1, synchronizers },
    }),
  )
  t.deepEqual(seen.sort(), ['a1', 'a2', 'b1'])
})

test('with synchronizers keys lose their entries when the run is over', async (t) => {
  const synchronizers = new SynchronizerProvider()
  await execute({
    maxTasksInFlight: 50,
    taskSource: Array.from({ length: 2000 }, (_, task) => ({ task })),
    taskExecutor: async () => {},
    limitPerKey: { key: (task) => `key ${task % 500}`, maxTasksInExecution: 1, synchronizers },
  })
  t.true(await gcUntil(() => synchronizers.numberOfKeys === 0))
})
