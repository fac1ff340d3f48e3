// executeTasks when tasks, handlers or sources fail, or when its parameters are wrong.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { deferred, outcome, settlesWithin, sleep, turn, turns } from '../helpers/async.mjs'
import { counted, countedTasks, failingAfter, recordedSource, tasks } from '../helpers/sources.mjs'

const execute = (params) => new SynchronizerProvider().executeTasks({ maxTasksInFlight: 10, ...params })
const reasons = [new Error('boom'), undefined, null, 0, '', false]
const name = (reason) => (reason === '' ? "''" : String(reason))

function throwing(reason) {
  throw reason
}

// Tasks

for (const [how, fail] of Object.entries({
  rejects: async (reason) => {
    throw reason
  },
  'throws before its promise': (reason) => {
    throw reason
  },
  'returns a thenable that rejects': (reason) => ({
    then: (_, reject) => {
      setImmediate(reject, reason)
    },
  }),
  'returns a thenable that throws': (reason) => ({
    then: () => {
      throw reason
    },
  }),
})) {
  for (const reason of reasons) {
    test(`a task whose executor ${how} (${name(reason)}) goes to onTaskError with the task, and the rest goes on`, async (t) => {
      const errors = []
      const seen = []
      t.is(
        await settlesWithin(
          execute({
            maxTasksInFlight: 3,
            maxTasksInExecution: 2,
            taskSource: countedTasks(9),
            taskExecutor: ({ task }) => {
              seen.push(task)
              return task % 3 === 1 ? fail(reason) : turn()
            },
            onTaskError: (...args) => {
              errors.push(args)
            },
          }),
        ),
        undefined,
      )
      t.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7, 8])
      t.deepEqual(errors, [
        [reason, { task: 1 }],
        [reason, { task: 4 }],
        [reason, { task: 7 }],
      ])
    })
  }

  test(`a task whose executor ${how} disturbs nobody without an onTaskError`, async (t) => {
    let seen = 0
    t.is(
      await settlesWithin(
        execute({
          taskSource: tasks(20),
          taskExecutor: ({ task }) => {
            seen++
            return task % 2 ? fail(new Error('boom')) : turn()
          },
        }),
      ),
      undefined,
    )
    t.is(seen, 20)
  })
}

test('an executor may return a plain value, nothing, or a bare thenable', async (t) => {
  const results = [
    undefined,
    5,
    null,
    {
      then: (resolve) => {
        setImmediate(resolve)
      },
    },
  ]
  let errors = 0
  await settlesWithin(
    execute({
      maxTasksInFlight: 1,
      taskSource: tasks(results.length * 5),
      taskExecutor: ({ task }) => results[task % results.length],
      onTaskError: () => {
        errors++
      },
    }),
  )
  t.is(errors, 0)
})

test('a bare thenable counts as running until it settles', async (t) => {
  let settle
  let started = 0
  const run = execute({
    maxTasksInFlight: 2,
    maxTasksInExecution: 1,
    taskSource: tasks(2),
    taskExecutor: () =>
      ++started === 1
        ? {
            then: (resolve) => {
              settle = resolve
            },
          }
        : turn(),
  })
  await turns(5)
  t.is(started, 1)
  settle()
  await settlesWithin(run)
  t.is(started, 2)
})

test('onTaskError gets the very error and the very item', async (t) => {
  const item = { task: {} }
  const reason = new Error('boom')
  const calls = []
  await execute({
    taskSource: [item],
    taskExecutor: async () => {
      throw reason
    },
    onTaskError: (...args) => {
      calls.push(args)
    },
  })
  t.is(calls.length, 1)
  t.is(calls[0][0], reason)
  t.is(calls[0][1].task, item.task)
})

for (const reason of reasons) {
  test(`a handler that throws (${name(reason)}) makes executeTasks reject with it after all tasks have run`, async (t) => {
    let finished = 0
    let calls = 0
    const source = countedTasks(10)
    const result = await settlesWithin(
      outcome(() =>
        execute({
          maxTasksInFlight: 2,
          taskSource: source,
          taskExecutor: async ({ task }) => {
            await turn()
            finished++
            if (task % 2 === 0) throw new Error(`task ${task}`)
          },
          onTaskError: () => {
            if (++calls === 1) throw reason
            throw new Error('a later one')
          },
        }),
      ),
    )
    t.deepEqual(result, { status: 'rejected', reason })
    t.is(finished, 10)
    t.is(calls, 5, 'the handler is still asked')
  })
}

// Sources

for (const reason of reasons) {
  test(`a source that fails (${name(reason)}) rejects with that very error after every started task has settled`, async (t) => {
    let finished = 0
    const result = await settlesWithin(
      outcome(() =>
        execute({
          taskSource: failingAfter(tasks(3), reason),
          taskExecutor: async () => {
            await sleep(30)
            finished++
          },
        }).finally(() => {
          t.is(finished, 3, 'all had settled when it rejected')
        }),
      ),
    )
    t.deepEqual(result, { status: 'rejected', reason })
  })

  test(`a source that fails (${name(reason)}) on its first pull rejects with that very error`, async (t) => {
    for (const source of [
      failingAfter([], reason),
      (async function* () {
        yield* throwing(reason)
      })(),
      (function* () {
        yield* throwing(reason)
      })(),
      {
        next() {
          throw reason
        },
      },
      {
        [Symbol.asyncIterator]() {
          throw reason
        },
      },
      {
        [Symbol.iterator]() {
          throw reason
        },
      },
    ]) {
      const result = await settlesWithin(
        outcome(() => execute({ taskSource: source, taskExecutor: async () => t.fail() })),
      )
      t.deepEqual(result, { status: 'rejected', reason })
    }
  })
}

test('tasks pulled but not started run when the source failed', async (t) => {
  const gate = deferred()
  const seen = []
  const reason = new Error('boom')
  const source = failingAfter(tasks(5), reason)
  const run = outcome(() =>
    execute({
      maxTasksInExecution: 1,
      taskSource: source,
      taskExecutor: async ({ task }) => {
        seen.push(task)
        await gate.promise
      },
    }),
  )
  await turns(10)
  t.is(source.nextCalls, 6)
  t.deepEqual(seen, [0])
  gate.resolve()
  t.deepEqual(await settlesWithin(run), { status: 'rejected', reason })
  t.deepEqual(seen, [0, 1, 2, 3, 4])
  t.is(source.nextCalls, 6, 'the source is not asked again')
})

test('tasks may fail while the source fails', async (t) => {
  const errors = []
  const result = await settlesWithin(
    outcome(() =>
      execute({
        taskSource: failingAfter(tasks(3), 'source'),
        taskExecutor: async ({ task }) => {
          await turn()
          throw task
        },
        onTaskError: (error) => {
          errors.push(error)
        },
      }),
    ),
  )
  t.deepEqual(result, { status: 'rejected', reason: 'source' })
  t.deepEqual(errors.sort(), [0, 1, 2])
})

for (const [what, answer] of Object.entries({
  undefined,
  null: null,
  'a number': 5,
  'a text': 'text',
  'an empty object': {},
  'a value that is no { task }': { done: false, value: 5 },
  'an object whose done throws': {
    get done() {
      throw new Error('done broke')
    },
  },
  'an object whose value throws': {
    done: false,
    get value() {
      throw new Error('value broke')
    },
  },
})) {
  test(`a source that answers next() with ${what} rejects after the tasks before it have settled`, async (t) => {
    let finished = 0
    const source = recordedSource(async (call) => (call === 1 ? { done: false, value: { task: 1 } } : answer))
    const { status, reason } = await settlesWithin(
      outcome(() =>
        execute({
          taskSource: source,
          taskExecutor: async () => {
            await turn()
            finished++
          },
        }),
      ),
    )
    t.is(status, 'rejected')
    t.true(reason instanceof Error)
    t.is(finished, 1)
    t.is(source.nextCalls, 2)
  })
}

// Parameters

for (const [what, taskSource] of Object.entries({
  undefined,
  null: null,
  'a number': 5,
  true: true,
  'an empty object': {},
  'a function': () => {},
  'an object whose next is no function': { next: 5 },
  async *'a generator function that was not called'() {},
})) {
  test(`${what} as a source gives a clear error`, async (t) => {
    const { status, reason } = await settlesWithin(
      outcome(() => execute({ taskSource, taskExecutor: async () => t.fail() })),
    )
    t.is(status, 'rejected')
    t.true(reason instanceof Error)
    t.regex(reason.message, /taskSource/)
  })
}

for (const taskExecutor of [undefined, null, 5, {}]) {
  test(`a missing executor (${JSON.stringify(taskExecutor)}) is refused before the source is touched`, async (t) => {
    const source = countedTasks(3)
    const { status, reason } = await settlesWithin(outcome(() => execute({ taskSource: source, taskExecutor })))
    t.is(status, 'rejected')
    t.true(reason instanceof Error)
    t.regex(reason.message, /taskExecutor/)
    t.is(source.nextCalls, 0)
  })
}

test('missing params are refused', async (t) => {
  for (const params of [undefined, null, {}]) {
    const { status, reason } = await outcome(() => new SynchronizerProvider().executeTasks(params))
    t.is(status, 'rejected')
    t.true(reason instanceof Error)
  }
})

test('a refused limit leaves the source untouched', async (t) => {
  const source = counted(3)
  for (const params of [{ maxTasksInFlight: 0 }, { maxTasksInExecution: -1 }]) {
    await t.throwsAsync(execute({ taskSource: source, taskExecutor: async () => {}, ...params }), { code: 'Invalid' })
  }
  t.is(source.nextCalls, 0)
})
