// executeTasks: sources, order, bounds, results. Faults, aborts, keys and progress have specs of their own.
import { Readable } from 'node:stream'
import test from 'ava'
import { SynchronizerProvider, mergeAsyncGenerators, rebatchTasks, toTasks } from '../../index.mjs'
import { deferred, isPending, outcome, settlesWithin, sleep, turn, turns, waitUntil } from '../helpers/async.mjs'
import { counted, countedTasks, recordedSource, tasks } from '../helpers/sources.mjs'

const execute = (params) => new SynchronizerProvider().executeTasks({ maxTasksInFlight: 10, ...params })

test('every task is executed once, in the order of the source, and the result is nothing', async (t) => {
  const seen = []
  t.is(
    await execute({
      taskSource: countedTasks(100),
      taskExecutor: async ({ task }) => {
        seen.push(task)
      },
    }),
    undefined,
  )
  t.deepEqual(
    seen,
    Array.from({ length: 100 }, (_, i) => i),
  )
})

test('the executor is given what the source gave', async (t) => {
  const item = { task: { id: 7 } }
  let given
  await execute({
    taskSource: [item],
    taskExecutor: async (param) => {
      given = param
    },
  })
  t.deepEqual(given, item)
  t.is(given.task, item.task)
})

test('falsy tasks are tasks', async (t) => {
  const falsy = [undefined, null, 0, '', false, NaN]
  const seen = []
  await execute({
    taskSource: falsy.map((task) => ({ task })),
    taskExecutor: async ({ task }) => {
      seen.push(task)
    },
  })
  t.deepEqual(seen, falsy)
})

test('it resolves only after all tasks have settled', async (t) => {
  const gates = [deferred(), deferred(), deferred()]
  let settled = 0
  const run = execute({
    taskSource: countedTasks(3),
    taskExecutor: async ({ task }) => {
      await gates[task].promise
      settled++
    },
  })
  for (const gate of gates) {
    t.true(await isPending(run))
    gate.resolve()
  }
  await settlesWithin(run)
  t.is(settled, 3)
})

test('several runs of one provider are independent', async (t) => {
  const provider = new SynchronizerProvider()
  const gate = deferred()
  const blocked = provider.executeTasks({
    maxTasksInFlight: 1,
    maxTasksInExecution: 1,
    taskSource: tasks(1),
    taskExecutor: () => gate.promise,
  })
  const seen = []
  await settlesWithin(
    provider.executeTasks({
      maxTasksInFlight: 1,
      maxTasksInExecution: 1,
      taskSource: tasks(5),
      taskExecutor: async ({ task }) => {
        seen.push(task)
      },
    }),
  )
  t.deepEqual(seen, [0, 1, 2, 3, 4])
  gate.resolve()
  await blocked
})

test('a task may run a pipeline of its own', async (t) => {
  let inner = 0
  await settlesWithin(
    execute({
      maxTasksInFlight: 2,
      maxTasksInExecution: 1,
      taskSource: tasks(3),
      taskExecutor: () =>
        execute({
          maxTasksInFlight: 1,
          taskSource: tasks(3),
          taskExecutor: async () => {
            inner++
          },
        }),
    }),
  )
  t.is(inner, 9)
})

// Bounds

for (const [inFlight, inExecution] of [
  [3, 1],
  [3, 3],
  [10, 4],
  [1, 1],
  [4, 100],
  [5, undefined],
]) {
  test(`in flight ${inFlight} and in execution ${inExecution} hold exactly over an endless source`, async (t) => {
    let [pulled, finished, running, peakInFlight, peakRunning] = [0, 0, 0, 0, 0]
    const controller = new AbortController()
    const source = recordedSource(async () => {
      if (pulled % 3 === 0) await turn()
      pulled++
      peakInFlight = Math.max(peakInFlight, pulled - finished)
      return { done: false, value: { task: pulled } }
    })
    await t.throwsAsync(
      execute({
        maxTasksInFlight: inFlight,
        maxTasksInExecution: inExecution,
        taskSource: source,
        signal: controller.signal,
        taskExecutor: async () => {
          peakRunning = Math.max(peakRunning, ++running)
          await (finished % 2 ? turns(3) : sleep(1))
          running--
          if (++finished === 200) controller.abort(new Error('enough'))
        },
      }),
      { message: 'enough' },
    )
    t.is(peakInFlight, inFlight)
    t.is(peakRunning, Math.min(inFlight, inExecution ?? inFlight))
    t.is(source.peakOutstanding, 1, 'one next() outstanding')
  })
}

test('nothing is pulled beyond the window while no task finishes', async (t) => {
  const gate = deferred()
  const source = countedTasks(1000)
  const run = execute({
    maxTasksInFlight: 3,
    maxTasksInExecution: 1,
    taskSource: source,
    taskExecutor: () => gate.promise,
  })
  await turns(20)
  t.is(source.nextCalls, 3)
  gate.resolve()
  await run
  t.is(source.nextCalls, 1001)
})

test('a large window over a slow source keeps one next() outstanding', async (t) => {
  const source = recordedSource(async (call) => {
    await turn()
    return call <= 50 ? { done: false, value: { task: call } } : { done: true, value: undefined }
  })
  let executed = 0
  await execute({
    maxTasksInFlight: 1e6,
    taskSource: source,
    taskExecutor: async () => {
      executed++
    },
  })
  t.is(source.peakOutstanding, 1)
  t.is(executed, 50)
})

test('the window is used: tasks run side by side up to the limit', async (t) => {
  const gate = deferred()
  let running = 0
  const run = execute({
    maxTasksInFlight: 8,
    maxTasksInExecution: 5,
    taskSource: countedTasks(8),
    taskExecutor: async () => {
      running++
      await gate.promise
    },
  })
  await waitUntil(() => running === 5)
  await turns(5)
  t.is(running, 5)
  gate.resolve()
  await run
  t.is(running, 8)
})

test('the source is not asked again once it is done', async (t) => {
  const source = countedTasks(5)
  await execute({ taskSource: source, taskExecutor: () => turn() })
  t.is(source.nextCalls, 6)
  t.is(source.returnCalls, 0, 'a source that ended by itself needs no return()')
})

// Sources

const kindsOfSource = {
  'an async generator': () =>
    (async function* () {
      yield* tasks(5)
    })(),
  'an array': () => tasks(5),
  'a Set': () => new Set(tasks(5)),
  'a sync generator': () =>
    (function* () {
      yield* tasks(5)
    })(),
  'an async iterable': () => ({
    async *[Symbol.asyncIterator]() {
      yield* tasks(5)
    },
  }),
  'a sync iterable': () => ({
    *[Symbol.iterator]() {
      yield* tasks(5)
    },
  }),
  'a plain object with only next()': () => {
    let i = 0
    return { next: async () => (i < 5 ? { done: false, value: { task: i++ } } : { done: true, value: undefined }) }
  },
  'a stream': () => Readable.from(tasks(5)),
  'toTasks of an array': () => toTasks([0, 1, 2, 3, 4]),
  'toTasks of a sync generator': () =>
    toTasks(
      (function* () {
        yield* [0, 1, 2, 3, 4]
      })(),
    ),
  'toTasks of an async generator': () =>
    toTasks(
      (async function* () {
        yield* [0, 1, 2, 3, 4]
      })(),
    ),
  'toTasks of a stream': () => toTasks(Readable.from([0, 1, 2, 3, 4])),
  'merged generators': () => mergeAsyncGenerators([toTasks([0, 1, 2, 3, 4]), toTasks([])]),
}

for (const [kind, make] of Object.entries(kindsOfSource)) {
  test(`the source may be ${kind}`, async (t) => {
    const seen = []
    await settlesWithin(
      execute({
        maxTasksInFlight: 2,
        taskSource: make(),
        taskExecutor: async ({ task }) => {
          seen.push(task)
        },
      }),
    )
    t.deepEqual(seen, [0, 1, 2, 3, 4])
  })
}

for (const [kind, make] of Object.entries({
  'an empty array': () => [],
  async *'an empty async generator'() {},
  'an empty stream': () => Readable.from([]),
  'toTasks of nothing': () => toTasks([]),
})) {
  test(`${kind} ends at once`, async (t) => {
    t.is(await settlesWithin(execute({ taskSource: make(), taskExecutor: async () => t.fail() })), undefined)
  })
}

test('an object that is both async and sync iterable is taken as async', async (t) => {
  const source = {
    async *[Symbol.asyncIterator]() {
      yield { task: 'async' }
    },
    *[Symbol.iterator]() {
      yield { task: 'sync' }
    },
  }
  const seen = []
  await execute({
    taskSource: source,
    taskExecutor: async ({ task }) => {
      seen.push(task)
    },
  })
  t.deepEqual(seen, ['async'])
})

test('the value that comes with done is no task', async (t) => {
  const source = (async function* () {
    yield { task: 1 }
    return { task: 2 }
  })()
  const seen = []
  await execute({
    taskSource: source,
    taskExecutor: async ({ task }) => {
      seen.push(task)
    },
  })
  t.deepEqual(seen, [1])
})

test('a second next() while one is outstanding is answered in order', async (t) => {
  for (const source of [toTasks([1, 2, 3]), rebatchTasks([{ task: [1, 2, 3] }], 1)]) {
    const results = await settlesWithin(Promise.all(Array.from({ length: 5 }, () => source.next())))
    t.deepEqual(
      results.map(({ done }) => done),
      [false, false, false, true, true],
    )
    t.deepEqual(
      results
        .slice(0, 3)
        .map(({ value }) => value.task)
        .flat(),
      [1, 2, 3],
    )
  }
})

test('toTasks and rebatchTasks refuse what they cannot iterate', async (t) => {
  for (const source of [undefined, null, 5, {}]) {
    for (const call of [() => toTasks(source).next(), () => rebatchTasks(source, 2).next()]) {
      const { status, reason } = await outcome(call)
      t.is(status, 'rejected')
      t.true(reason instanceof Error)
    }
  }
  for (const item of [undefined, 5, {}, { task: 5 }]) {
    const { status, reason } = await outcome(() => rebatchTasks([item], 2).next())
    t.is(status, 'rejected')
    t.true(reason instanceof Error)
  }
})

test('toTasks closes its source when it is closed', async (t) => {
  const source = counted(10)
  for await (const { task } of toTasks(source)) if (task === 3) break
  t.is(source.returnCalls, 1)
})
