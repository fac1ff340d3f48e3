// mapTasks and mapAll: results, their order, back-pressure, failures, closing, contexts.
import { AsyncLocalStorage } from 'node:async_hooks'
import test from 'ava'
import { SynchronizerInvalidError, SynchronizerProvider } from '../../index.mjs'
import { deferred, isPending, outcome, settlesWithin, turns, waitUntil } from '../helpers/async.mjs'
import { collect, countedTasks, failingAfter, silentAfter, tasks } from '../helpers/sources.mjs'

const sp = new SynchronizerProvider()
const map = (params) => sp.mapTasks({ maxTasksInFlight: 10, taskMapper: async ({ task }) => task, ...params })
const gates = (count) => Array.from({ length: count }, deferred)

test('results come in the order of the source, whatever ends first', async (t) => {
  const waits = gates(4)
  const results = collect(map({ taskSource: tasks(4), taskMapper: ({ task }) => waits[task].promise }))
  for (const task of [3, 1, 0, 2]) {
    waits[task].resolve(task * 10)
    await turns(1)
  }
  t.deepEqual((await results).values, [0, 10, 20, 30])
})

test('ordered: false gives results as they end', async (t) => {
  const waits = gates(4)
  const results = collect(map({ ordered: false, taskSource: tasks(4), taskMapper: ({ task }) => waits[task].promise }))
  await turns(2)
  for (const task of [3, 1, 0, 2]) {
    waits[task].resolve(task * 10)
    await turns(1)
  }
  t.deepEqual((await results).values, [30, 10, 0, 20])
})

for (const ordered of [true, false]) {
  test(`a slow consumer holds the source up at the window, ordered: ${ordered}`, async (t) => {
    const source = countedTasks(100)
    const results = map({ maxTasksInFlight: 5, maxTasksInExecution: 2, ordered, taskSource: source })
    t.is(source.nextCalls, 0)
    await results.next()
    await turns(5)
    t.is(source.nextCalls, 6)
    await results.next()
    await turns(5)
    t.is(source.nextCalls, 7)
    const { values } = await collect(results)
    t.is(values.length, 98)
    t.is(source.peakOutstanding, 1)
  })
}

test('at most maxTasksInExecution mappers run at once', async (t) => {
  let running = 0
  let peak = 0
  const taskMapper = async () => {
    peak = Math.max(peak, ++running)
    await turns(1)
    running--
  }
  await collect(map({ maxTasksInFlight: 50, maxTasksInExecution: 3, taskSource: tasks(60), taskMapper }))
  t.is(peak, 3)
})

test('calls of next() that wait are served in order, and all end', async (t) => {
  const results = map({ taskSource: tasks(2) })
  const steps = await Promise.all([results.next(), results.next(), results.next(), results.next()])
  t.deepEqual(steps, [
    { done: false, value: 0 },
    { done: false, value: 1 },
    { done: true, value: undefined },
    { done: true, value: undefined },
  ])
})

test('falsy results, plain values and thenables are results', async (t) => {
  const values = [undefined, null, 0, '', false, { then: (resolve) => resolve('thenable') }]
  const { values: results } = await collect(map({ taskSource: tasks(6), taskMapper: ({ task }) => values[task] }))
  t.deepEqual(results, [undefined, null, 0, '', false, 'thenable'])
})

for (const failure of [new Error('no'), undefined, null, 0, '', false]) {
  test(`a mapper's failure (${failure}) ends the iteration after the results before it, when running tasks have settled`, async (t) => {
    const [fails, late] = gates(2)
    const source = countedTasks(1000)
    const started = []
    const taskMapper = async ({ task }) => {
      started.push(task)
      if (task === 2) return fails.promise
      if (task >= 3) await late.promise
      return task
    }
    const results = collect(map({ maxTasksInFlight: 4, taskSource: source, taskMapper }))
    await waitUntil(() => started.length === 6)
    fails.reject(failure)
    await turns(3)
    t.true(await isPending(results))
    late.resolve()
    t.deepEqual(await settlesWithin(results), { values: [0, 1], status: 'rejected', reason: failure })
    t.is(source.returnCalls, 1)
    t.is(started.length, 6)
  })
}

test('a mapper that throws at once fails like one that rejects', async (t) => {
  const error = new Error('at once')
  const taskMapper = () => {
    throw error
  }
  t.deepEqual(await collect(map({ taskSource: tasks(3), taskMapper })), {
    values: [],
    status: 'rejected',
    reason: error,
  })
})

test('results before a failure are kept for a slow consumer; after it the iterator is done', async (t) => {
  const error = new Error('third')
  const taskMapper = async ({ task }) => {
    if (task === 2) throw error
    return task
  }
  const results = map({ taskSource: tasks(5), taskMapper })
  t.is((await results.next()).value, 0)
  await turns(5)
  t.is((await results.next()).value, 1)
  t.is((await outcome(() => results.next())).reason, error)
  t.true((await results.next()).done)
})

test('with onTaskError the iteration goes on, and results stay in order', async (t) => {
  const told = []
  const taskMapper = async ({ task }) => {
    if (task % 3 === 0) throw new Error(`no ${task}`)
    return task
  }
  const onTaskError = ({ message }, { task }) => told.push([message, task])
  const { values, status } = await collect(map({ taskSource: tasks(8), taskMapper, onTaskError }))
  t.deepEqual(values, [1, 2, 4, 5, 7])
  t.deepEqual(told, [
    ['no 0', 0],
    ['no 3', 3],
    ['no 6', 6],
  ])
  t.is(status, 'fulfilled')
})

test("a handler's own error is told at the end", async (t) => {
  const error = new Error('handler')
  const taskMapper = async ({ task }) => {
    if (task === 0) throw new Error('task')
    return task
  }
  const onTaskError = () => {
    throw error
  }
  t.deepEqual(await collect(map({ taskSource: tasks(3), taskMapper, onTaskError })), {
    values: [1, 2],
    status: 'rejected',
    reason: error,
  })
})

test("a source's failure comes after the results of all its tasks", async (t) => {
  const error = new Error('source')
  const taskSource = failingAfter([{ task: 1 }, { task: 2 }], error)
  t.deepEqual(await collect(map({ taskSource })), { values: [1, 2], status: 'rejected', reason: error })
})

test('break closes the source once and waits for running mappers', async (t) => {
  const source = countedTasks(1000)
  const [second, gate] = gates(2)
  let settled = 0
  const taskMapper = async ({ task }) => {
    if (task === 1) second.resolve()
    await (task === 0 ? second.promise : gate.promise)
    settled++
    return task
  }
  const loop = (async () => {
    for await (const value of map({ maxTasksInFlight: 3, taskSource: source, taskMapper })) return value
  })()
  await second.promise
  await turns(3)
  t.true(await isPending(loop))
  gate.resolve()
  t.is(await settlesWithin(loop), 0)
  t.is(source.returnCalls, 1)
  t.true(settled <= 4)
})

test('return() settles behind a silent source, and so does a pending next()', async (t) => {
  const source = silentAfter([])
  const results = map({ taskSource: source })
  const next = results.next()
  t.deepEqual(await settlesWithin(results.return('bye')), { done: true, value: 'bye' })
  t.deepEqual(await settlesWithin(next), { done: true, value: undefined })
  t.is(source.returnCalls, 1)
})

test('return() before the first next() closes the source, and nothing runs', async (t) => {
  const source = countedTasks(3)
  const results = map({ taskSource: source })
  await results.return()
  t.is(source.nextCalls, 0)
  t.is(source.returnCalls, 1)
  t.true((await results.next()).done)
})

test('an abort ends the iteration with its reason once running mappers have settled', async (t) => {
  const controller = new AbortController()
  const source = silentAfter(tasks(2))
  const gate = deferred()
  let started = 0
  const taskMapper = () => {
    started++
    return gate.promise
  }
  const results = collect(map({ taskSource: source, taskMapper, signal: controller.signal }))
  await waitUntil(() => started === 2)
  controller.abort('enough')
  t.true(await isPending(results))
  gate.resolve()
  t.deepEqual(await settlesWithin(results), { values: [], status: 'rejected', reason: 'enough' })
  t.is(source.returnCalls, 1)
})

test('a signal that has aborted already pulls nothing', async (t) => {
  const source = countedTasks(2)
  const { reason } = await collect(map({ taskSource: source, signal: AbortSignal.abort('early') }))
  t.is(reason, 'early')
  t.is(source.nextCalls, 0)
})

test('mappers see the async context of the mapTasks call, whoever asks', async (t) => {
  const context = new AsyncLocalStorage()
  const taskMapper = async () => context.getStore()
  const results = context.run('caller', () => map({ maxTasksInFlight: 1, taskSource: tasks(4), taskMapper }))
  const values = await context.run('consumer', async () => {
    const seen = []
    for await (const value of results) seen.push(value, context.getStore())
    return seen
  })
  t.deepEqual(values, Array(4).fill(['caller', 'consumer']).flat())
})

test('progress counts pulled, running, done and failed', async (t) => {
  const seen = []
  const taskMapper = async ({ task }) => {
    if (task === 1) throw new Error('one')
  }
  await collect(
    map({ taskSource: tasks(3), taskMapper, onTaskError() {}, onProgress: (progress) => seen.push(progress) }),
  )
  t.deepEqual(seen.at(-1), { pulled: 3, running: 0, done: 2, failed: 1 })
})

test('wrong parameters are refused at the call', (t) => {
  for (const wrong of [
    { taskMapper: 1 },
    { maxTasksInFlight: 0 },
    { maxTasksInExecution: 1.5 },
    { taskSource: 7 },
    { signal: {} },
  ]) {
    t.throws(() => map({ taskSource: tasks(1), ...wrong }), {
      instanceOf: SynchronizerInvalidError,
      message: new RegExp(Object.keys(wrong)[0]),
    })
  }
})

test('limitPerKey bounds the mappers of a key', async (t) => {
  let running = 0
  let peak = 0
  const { values } = await collect(
    map({
      taskSource: tasks(10),
      limitPerKey: { key: () => 'a', maxTasksInExecution: 2 },
      taskMapper: async ({ task }) => {
        peak = Math.max(peak, ++running)
        await turns(1)
        running--
        return task
      },
    }),
  )
  t.is(values.length, 10)
  t.is(peak, 2)
})
