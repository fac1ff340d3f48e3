// limitPerKey: a limit for each key inside the pipeline, optionally shared with everybody else through a provider.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { isPending, outcome, settlesWithin, turn, turns } from '../helpers/async.mjs'
import { recordedSource } from '../helpers/sources.mjs'
import { key, named, steered } from '../helpers/steered.mjs'

const execute = (params) => new SynchronizerProvider().executeTasks({ maxTasksInFlight: 10, ...params })

const variants = {
  'by itself': () => ({}),
  'with synchronizers': () => ({ synchronizers: new SynchronizerProvider() }),
}

for (const [variant, extra] of Object.entries(variants)) {
  test(`${variant}: a busy key does not hold up tasks of other keys, and each key keeps its order`, async (t) => {
    const { started, executor, finish, finishAll } = steered()
    const run = execute({
      taskSource: named('a1 a2 a3 b1 c1 b2'),
      taskExecutor: executor,
      limitPerKey: { key, maxTasksInExecution: 1, ...extra() },
    })
    await turns(5)
    t.deepEqual(started, ['a1', 'b1', 'c1'])
    finish('a1')
    await turns(5)
    t.deepEqual(started.slice(3), ['a2'])
    finish('b1')
    await turns(5)
    t.deepEqual(started.slice(4), ['b2'])
    await finishAll()
    await settlesWithin(run)
    t.deepEqual(started.slice(5), ['a3'])
  })

  test(`${variant}: tasks that wait for their key take no place in execution`, async (t) => {
    const { started, executor, finishAll } = steered()
    const run = execute({
      maxTasksInFlight: 5,
      maxTasksInExecution: 2,
      taskSource: named('a1 a2 a3 b1 c1'),
      taskExecutor: executor,
      limitPerKey: { key, maxTasksInExecution: 1, ...extra() },
    })
    await turns(5)
    t.deepEqual(started, ['a1', 'b1'])
    await finishAll()
    await settlesWithin(run)
    t.is(started.length, 5)
  })

  test(`${variant}: the window holds tasks that wait for their key too`, async (t) => {
    const { started, executor, finish, finishAll } = steered()
    const source = recordedSource(async (call) =>
      call <= 5 ? { done: false, value: named('a1 a2 a3 b1 b2')[call - 1] } : { done: true, value: undefined },
    )
    const run = execute({
      maxTasksInFlight: 3,
      taskSource: source,
      taskExecutor: executor,
      limitPerKey: { key, maxTasksInExecution: 1, ...extra() },
    })
    await turns(5)
    t.deepEqual(started, ['a1'])
    t.is(source.nextCalls, 3)
    finish('a1')
    await turns(5)
    t.deepEqual(started, ['a1', 'a2', 'b1'])
    await finishAll()
    await settlesWithin(run)
  })

  test(`${variant}: no key ever exceeds its limit, and all together not maxTasksInExecution`, async (t) => {
    const perKey = new Map()
    const peaks = new Map()
    let running = 0
    let peak = 0
    const order = new Map()
    await settlesWithin(
      execute({
        maxTasksInFlight: 20,
        maxTasksInExecution: 5,
        taskSource: Array.from({ length: 600 }, (_, i) => ({ task: { key: `key ${(i * i) % 7}`, i } })),
        taskExecutor: async ({ task }) => {
          order.set(task.key, [...(order.get(task.key) ?? []), task.i])
          perKey.set(task.key, (perKey.get(task.key) ?? 0) + 1)
          peaks.set(task.key, Math.max(peaks.get(task.key) ?? 0, perKey.get(task.key)))
          peak = Math.max(peak, ++running)
          await (task.i % 3 ? turn() : Promise.resolve())
          running--
          perKey.set(task.key, perKey.get(task.key) - 1)
          if (task.i % 11 === 0) throw new Error('boom')
        },
        limitPerKey: { key: (task) => task.key, maxTasksInExecution: 2, ...extra() },
      }),
    )
    t.deepEqual([...new Set(peaks.values())], [2])
    t.is(peak, 5)
    t.is([...order.values()].flat().length, 600)
    for (const started of order.values())
      t.deepEqual(
        started,
        started.toSorted((a, b) => a - b),
      )
  })

  test(`${variant}: a failed task frees its key`, async (t) => {
    const errors = []
    const started = []
    await settlesWithin(
      execute({
        taskSource: named('a1 a2 a3'),
        taskExecutor: ({ task }) => {
          started.push(task)
          if (task === 'a1') throw new Error('thrown')
          return task === 'a2' ? Promise.reject(new Error('rejected')) : undefined
        },
        onTaskError: (error, { task }) => {
          errors.push([task, error.message])
        },
        limitPerKey: { key, maxTasksInExecution: 1, ...extra() },
      }),
    )
    t.deepEqual(started, ['a1', 'a2', 'a3'])
    t.deepEqual(errors, [
      ['a1', 'thrown'],
      ['a2', 'rejected'],
    ])
  })

  test(`${variant}: tasks that wait for their key run when the source failed`, async (t) => {
    const started = []
    const reason = new Error('boom')
    const source = (async function* () {
      yield* named('a1 a2 a3 b1')
      throw reason
    })()
    const result = await settlesWithin(
      outcome(() =>
        execute({
          taskSource: source,
          taskExecutor: async ({ task }) => {
            started.push(task)
            await turns(3)
          },
          limitPerKey: { key, maxTasksInExecution: 1, ...extra() },
        }),
      ),
    )
    t.deepEqual(result, { status: 'rejected', reason })
    t.deepEqual(started.sort(), ['a1', 'a2', 'a3', 'b1'])
  })

  test(`${variant}: tasks that wait for their key are dropped on abort`, async (t) => {
    const controller = new AbortController()
    const { started, executor, finish } = steered()
    const run = outcome(() =>
      execute({
        taskSource: named('a1 a2 a3'),
        taskExecutor: executor,
        limitPerKey: { key, maxTasksInExecution: 1, ...extra() },
        signal: controller.signal,
      }),
    )
    await turns(5)
    controller.abort('stop')
    t.true(await isPending(run))
    finish('a1')
    t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
    t.deepEqual(started, ['a1'])
  })

  test(`${variant}: a key function that throws ends in an error, not in a hang`, async (t) => {
    const errors = []
    const started = []
    const result = await settlesWithin(
      outcome(() =>
        execute({
          taskSource: named('a1 b1 a2'),
          taskExecutor: async ({ task }) => {
            started.push(task)
          },
          onTaskError: (error) => {
            errors.push(error)
          },
          limitPerKey: {
            key: (task) => {
              if (task === 'b1') throw new Error('key broke')
              return task[0]
            },
            maxTasksInExecution: 1,
            ...extra(),
          },
        }),
      ),
    )
    const seen = [...errors, ...(result.status === 'rejected' ? [result.reason] : [])]
    t.true(seen.some((error) => error.message.includes('key broke')))
    t.false(started.includes('b1'))
  })

  test(`${variant}: keys are compared code unit by code unit`, async (t) => {
    const { started, executor, finishAll } = steered()
    const keys = ['', '\0', '\ud800', '\ud801', '\ufffd', '__proto__', 'constructor']
    const run = execute({
      maxTasksInFlight: 20,
      taskSource: keys.map((task) => ({ task })),
      taskExecutor: executor,
      limitPerKey: { key: (task) => task, maxTasksInExecution: 1, ...extra() },
    })
    await turns(5)
    t.is(started.length, keys.length)
    await finishAll()
    await settlesWithin(run)
  })
}

test('wrong limitPerKey values are refused', async (t) => {
  for (const limitPerKey of [
    5,
    'text',
    {},
    { key: 'text', maxTasksInExecution: 1 },
    { maxTasksInExecution: 1 },
    { key },
  ]) {
    const result = await settlesWithin(
      outcome(() => execute({ taskSource: named('a1'), taskExecutor: async () => {}, limitPerKey })),
    )
    t.is(result.status, 'rejected')
    t.true(result.reason instanceof Error)
  }
})

test('work put off to the next turn of the loop is not taken for a part of the section that put it off', async (t) => {
  const inside = new Map()
  let peak = 0
  await execute({
    maxTasksInFlight: 20,
    maxTasksInExecution: 6,
    taskSource: Array.from({ length: 300 }, (_, i) => ({ task: 'abc'[i % 3] })),
    limitPerKey: { key, maxTasksInExecution: 1, synchronizers: new SynchronizerProvider() },
    taskExecutor: async ({ task }) => {
      inside.set(task, (inside.get(task) ?? 0) + 1)
      peak = Math.max(peak, inside.get(task))
      // Long enough for turns of the loop to be over while tasks start.
      const until = performance.now() + 1
      while (performance.now() < until);
      await turn()
      inside.set(task, inside.get(task) - 1)
    },
  })
  t.is(peak, 1)
})
