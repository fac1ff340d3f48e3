// Sources and values of odd shapes: promise-likes, other realms, iterators that break their promises.
import vm from 'node:vm'
import test from 'ava'
import { SynchronizerProvider, rebatchTasks, toTasks } from '../../index.mjs'
import { deferred, isPending, outcome, settlesWithin, turn, turns } from '../helpers/async.mjs'
import { recordedSource, silentAfter, tasks } from '../helpers/sources.mjs'
import { warningsDuring } from '../helpers/warnings.mjs'

const sp = new SynchronizerProvider()
const reason = new Error('the real one')
const foreign = vm.runInNewContext(
  '({ rejected: error => Promise.reject(error), resolved: value => Promise.resolve(value), thrower: () => { throw new Error("foreign") } })',
)

const resolved = {
  'a promise': (value) => Promise.resolve(value),
  'a thenable': (value) => ({
    then: (resolve) => {
      setImmediate(resolve, value)
    },
  }),
  'a thenable whose then() returns nothing': (value) => ({
    then(resolve) {
      resolve(value)
    },
  }),
  'a function with then()': (value) =>
    Object.assign(() => {}, {
      then: (resolve) => {
        resolve(value)
      },
    }),
  'a promise of another realm': (value) => foreign.resolved(value),
  'a thenable of a thenable': (value) => ({
    then: (resolve) => {
      resolve({
        then: (inner) => {
          inner(value)
        },
      })
    },
  }),
}
const rejected = {
  'a promise': (error) => Promise.reject(error),
  'a thenable': (error) => ({
    then: (_, reject) => {
      setImmediate(reject, error)
    },
  }),
  'a thenable that throws': (error) => ({
    then() {
      throw error
    },
  }),
  'a value whose then can not be read': (error) =>
    Object.defineProperty({}, 'then', {
      get() {
        throw error
      },
    }),
  'a promise of another realm': (error) => foreign.rejected(error),
}

for (const [what, make] of Object.entries(resolved)) {
  test(`mapAll takes ${what} for its value, as Promise.all does`, async (t) => {
    t.deepEqual(
      await settlesWithin(sp.mapAll([make(1), 2, make(undefined)], (value) => value)),
      await Promise.all([make(1), 2, make(undefined)]),
    )
  })
}

for (const [what, make] of Object.entries(rejected)) {
  test(`mapAll rejects with the very error of ${what}, and closes what it iterates`, async (t) => {
    t.is((await settlesWithin(outcome(() => sp.mapAll([make(reason)], (value) => value)))).reason, reason)
    let closed = 0
    const values = (function* () {
      try {
        yield 1
        yield make(reason)
        yield 3
      } finally {
        closed++
      }
    })()
    t.is((await settlesWithin(outcome(() => sp.mapAll(values, (value) => value)))).reason, reason)
    t.is(closed, 1)
  })
}

test('mapAll handles promises of any realm that reject before their turn', async (t) => {
  for (const collect of [(list) => list, (list) => new Set(list)]) {
    const gate = deferred()
    const run = outcome(() =>
      sp.mapAll(collect([gate.promise, foreign.rejected(reason), Promise.reject(reason)]), (value) => value),
    )
    await turns(3)
    t.true(await isPending(run))
    gate.resolve(1)
    t.is((await settlesWithin(run)).reason, reason)
  }
})

for (const [what, next, message] of [
  ['a primitive', () => 5, /What next\(\) of a source gives must be/],
  ['nothing', () => undefined, /What next\(\) of a source gives must be/],
  ['a promise of a primitive', async () => 5, /What next\(\) of a source gives must be/],
  [
    'a thenable of nothing',
    () => ({
      then: (resolve) => {
        resolve()
      },
    }),
    /What next\(\) of a source gives must be/,
  ],
  [
    'what throws at once',
    () => {
      throw reason
    },
    /the real one/,
  ],
  [
    'what throws when it is read',
    () => ({
      get done() {
        throw reason
      },
    }),
    /the real one/,
  ],
  [
    'what can not be awaited',
    () => ({
      get then() {
        throw reason
      },
    }),
    /the real one/,
  ],
]) {
  for (const [how, run] of [
    ['executeTasks', (taskSource) => sp.executeTasks({ maxTasksInFlight: 2, taskSource, taskExecutor: () => turn() })],
    ['mapTasks', (taskSource) => sp.mapTasks({ maxTasksInFlight: 2, taskSource, taskMapper: () => turn() }).next()],
    ['mapAll', (iterable) => sp.mapAll(iterable, () => turn())],
  ]) {
    test(`a source whose next() gives ${what} ends ${how} with an error that says so`, async (t) => {
      const { status, reason: error } = await settlesWithin(outcome(() => run({ next })))
      t.is(status, 'rejected')
      t.regex(error.message, message)
    })
  }
}

test('an iterable whose iterator is none is refused by name', async (t) => {
  for (const iterator of [undefined, null, 5, {}, { next: 5 }]) {
    const run = sp.executeTasks({
      maxTasksInFlight: 1,
      taskSource: { [Symbol.asyncIterator]: () => iterator },
      taskExecutor: () => turn(),
    })
    await t.throwsAsync(run, { code: 'Invalid', message: /The iterator of taskSource/ })
  }
})

test('results of next() may be thenables', async (t) => {
  let calls = 0
  const next = () => ({
    then: (resolve) => {
      resolve(calls++ < 3 ? { done: false, value: { task: calls } } : { done: true, value: undefined })
    },
  })
  const seen = []
  await settlesWithin(
    sp.executeTasks({
      maxTasksInFlight: 2,
      taskSource: { next },
      taskExecutor: async ({ task }) => {
        seen.push(task)
      },
    }),
  )
  t.deepEqual(seen, [1, 2, 3])
})

test('an executor of another realm fails like one of this realm', async (t) => {
  const failed = []
  await sp.executeTasks({
    maxTasksInFlight: 1,
    taskSource: tasks(2),
    taskExecutor: foreign.thrower,
    onTaskError: (error) => {
      failed.push(error.message)
    },
  })
  await sp.executeTasks({
    maxTasksInFlight: 1,
    taskSource: tasks(2),
    taskExecutor: () => foreign.rejected(reason),
    onTaskError: (error) => {
      failed.push(error.message)
    },
  })
  t.deepEqual(failed, ['foreign', 'foreign', 'the real one', 'the real one'])
})

for (const [what, wrap] of [
  ['toTasks', (source) => toTasks(source)],
  ['rebatchTasks', (source) => rebatchTasks(source, 2)],
]) {
  test(`${what}: closing it before it was asked for anything closes what it reads`, async (t) => {
    const source = recordedSource(async () => ({ done: false, value: { task: [1] } }))
    await wrap(source).return()
    t.is(source.returnCalls, 1)
    const signal = AbortSignal.abort('stop')
    const other = recordedSource(async () => ({ done: false, value: { task: [1] } }))
    await t.throwsAsync(
      sp.executeTasks({ maxTasksInFlight: 1, taskSource: wrap(other), taskExecutor: () => turn(), signal }),
      { any: true },
    )
    t.is(other.returnCalls, 1)
  })

  test(`${what}: closing it while it waits for what it reads closes that, and its next() is done`, async (t) => {
    const source = silentAfter()
    const wrapped = wrap(source)
    const next = wrapped.next()
    t.deepEqual(await settlesWithin(wrapped.return('value')), { done: true, value: 'value' })
    t.deepEqual(await settlesWithin(next), { done: true, value: undefined })
    t.is(source.returnCalls, 1)
    t.deepEqual(await wrapped.next(), { done: true, value: undefined })
  })
}

test.serial('what a source throws while it is closed is a warning, and the reason stays', async (t) => {
  for (const onReturn of [
    () => {
      throw reason
    },
    async () => {
      throw reason
    },
  ]) {
    let result
    const warnings = await warningsDuring(async () => {
      const signal = AbortSignal.abort('stop')
      result = await outcome(() =>
        sp.executeTasks({
          maxTasksInFlight: 1,
          taskSource: silentAfter([], onReturn),
          taskExecutor: () => turn(),
          signal,
        }),
      )
    })
    t.is(result.reason, 'stop')
    t.is(warnings.find(({ cause }) => cause === reason)?.message, 'A source failed while it was closed')
  }
})
