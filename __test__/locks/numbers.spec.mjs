// every limit is checked once and exactly, however it gets in. Never a wrap, never a panic.
import test from 'ava'
import { CoreSemaphore, Semaphore, SynchronizerInvalidError, SynchronizerProvider, rebatchTasks } from '../../index.mjs'
import { deferred, outcome, turns } from '../helpers/async.mjs'
import { assertFree } from '../helpers/locks.mjs'
import { countedTasks, tasks } from '../helpers/sources.mjs'

const refused = [
  0,
  -0,
  -1,
  1.5,
  0.1,
  -1.5,
  1 + Number.EPSILON,
  NaN,
  Infinity,
  -Infinity,
  -(2 ** 31),
  -(2 ** 32),
  -(2 ** 53),
  2 ** 31 + 0.5,
  Number.MIN_VALUE,
  -Number.MAX_VALUE,
  '2',
  '',
  'two',
  true,
  false,
  {},
  [],
  [2],
  () => 2,
  2n,
  Symbol('two'),
  Object.create(null),
  new Date(2),
  new Number(2),
]
const accepted = [
  1,
  2,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 32 + 1,
  2 ** 40,
  Number.MAX_SAFE_INTEGER,
  2 ** 64,
  Number.MAX_VALUE,
]

const show = (value) =>
  typeof value === 'string'
    ? `'${value}'`
    : typeof value === 'bigint'
      ? `${value}n`
      : Object.is(value, -0)
        ? '-0'
        : Array.isArray(value)
          ? JSON.stringify(value)
          : typeof value === 'object' && value !== null
            ? `a ${value.constructor?.name ?? 'bare'} object`
            : String(value)

const provider = () => new SynchronizerProvider()
const run = (params) =>
  provider().executeTasks({
    maxTasksInFlight: 10,
    taskSource: tasks(3),
    taskExecutor: async () => {},
    ...params,
  })

const places = {
  CoreSemaphore: { make: (limit) => new CoreSemaphore(limit), required: true },
  Semaphore: { make: (limit) => new Semaphore(limit), required: true },
  forKey: { make: (limit) => provider().forKey('key', limit) },
  forObject: { make: (limit) => provider().forObject({}, limit) },
  createSynchronizer: { make: (maxConcurrentExecution) => provider().createSynchronizer({ maxConcurrentExecution }) },
  maxTasksInFlight: { make: (maxTasksInFlight) => run({ maxTasksInFlight }), required: true, pipeline: true },
  maxTasksInExecution: { make: (maxTasksInExecution) => run({ maxTasksInExecution }), pipeline: true },
  'limitPerKey.maxTasksInExecution': {
    make: (maxTasksInExecution) => run({ limitPerKey: { key: String, maxTasksInExecution } }),
    required: true,
    pipeline: true,
  },
  'limitPerKey.maxTasksInExecution with synchronizers': {
    make: (maxTasksInExecution) =>
      run({ limitPerKey: { key: String, maxTasksInExecution, synchronizers: provider() } }),
    pipeline: true,
    required: true,
  },
  'the size of rebatchTasks': {
    make: async (size) => {
      for await (const _ of rebatchTasks([{ task: [1, 2, 3] }], size));
    },
    required: true,
    pipeline: true,
  },
}

for (const [place, { make, required, pipeline }] of Object.entries(places)) {
  for (const value of required ? [...refused, undefined, null] : refused) {
    test(`${place} refuses ${show(value)} with code Invalid`, async (t) => {
      const { status, reason } = await outcome(() => make(value))
      t.is(status, 'rejected')
      t.true(reason instanceof SynchronizerInvalidError, String(reason))
      t.is(reason.code, 'Invalid')
      t.true(reason.message.length > 0)
    })
  }

  for (const value of accepted) {
    test(`${place} accepts ${value}`, async (t) => {
      if (pipeline) {
        t.is(await make(value), undefined)
        return
      }
      const lock = make(value)
      const gate = deferred()
      let entered = 0
      const runs = Array.from({ length: 5 }, () =>
        lock.synchronized(async () => {
          entered++
          await gate.promise
        }),
      )
      await turns(2)
      t.is(entered, Math.min(value, 5), 'it is not a smaller limit in truth')
      gate.resolve()
      await Promise.all(runs)
      await assertFree(t, lock, Math.min(value, 5))
    })
  }
}

test('the error names the value that was refused', async (t) => {
  for (const [value, text] of [
    [-1, '-1'],
    [1.5, '1.5'],
    [NaN, 'NaN'],
    ['two', 'two'],
  ]) {
    for (const { make } of Object.values(places)) {
      const { reason } = await outcome(() => make(value))
      t.true(reason.message.includes(text), reason.message)
    }
  }
})

test('an omitted or null limit means 1 for a synchronizer', async (t) => {
  for (const value of [undefined, null]) {
    for (const place of ['forKey', 'forObject', 'createSynchronizer']) {
      t.is(places[place].make(value).stats.maxConcurrentExecution, 1)
    }
  }
})

for (const maxTasksInExecution of [undefined, 2 ** 32 + 1, 2 ** 40, Number.MAX_VALUE]) {
  test(`maxTasksInExecution ${maxTasksInExecution} is no limit below maxTasksInFlight`, async (t) => {
    let running = 0
    let peak = 0
    await provider().executeTasks({
      maxTasksInFlight: 20,
      maxTasksInExecution,
      taskSource: countedTasks(40),
      taskExecutor: async () => {
        peak = Math.max(peak, ++running)
        await turns(30)
        running--
      },
    })
    t.is(peak, 20)
  })
}

for (const maxTasksInFlight of [2 ** 32 + 1, 2 ** 40, Number.MAX_VALUE]) {
  test(`maxTasksInFlight ${maxTasksInFlight} lets all tasks in`, async (t) => {
    const gate = deferred()
    let running = 0
    await provider().executeTasks({
      maxTasksInFlight,
      taskSource: tasks(500),
      taskExecutor: async () => {
        if (++running === 500) gate.resolve()
        await gate.promise
      },
    })
    t.is(running, 500)
  })
}

test('a refused limit leaves the key to the next call', (t) => {
  const synchronizers = provider()
  t.throws(() => synchronizers.forKey('key', -1), { code: 'Invalid' })
  t.is(synchronizers.forKey('key', 3).stats.maxConcurrentExecution, 3)
})
