// onProgress: what it counts and how often it is called.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { deferred, outcome, settlesWithin, sleep, turn } from '../helpers/async.mjs'
import { countedTasks, failingAfter, silentAfter, tasks } from '../helpers/sources.mjs'
import { warningsDuring } from '../helpers/warnings.mjs'

const execute = (params) => new SynchronizerProvider().executeTasks({ maxTasksInFlight: 10, ...params })

test('a last call at the end has the totals', async (t) => {
  const calls = []
  await execute({
    taskSource: countedTasks(25),
    taskExecutor: () => turn(),
    onProgress: (progress) => {
      calls.push({ ...progress })
    },
  })
  t.deepEqual(calls.at(-1), { pulled: 25, running: 0, done: 25, failed: 0 })
  const counted = calls.length
  await sleep(150)
  t.is(calls.length, counted, 'and nothing comes after it')
})

test('failed tasks are counted', async (t) => {
  let last
  await execute({
    taskSource: tasks(10),
    taskExecutor: async ({ task }) => {
      if (task < 4) throw new Error('boom')
    },
    onProgress: (progress) => {
      last = { ...progress }
    },
  })
  t.is(last.failed, 4)
  t.is(last.pulled, 10)
  t.is(last.running, 0)
})

test('an empty source has a last call too', async (t) => {
  const calls = []
  await execute({
    taskSource: [],
    taskExecutor: async () => {},
    onProgress: (progress) => {
      calls.push({ ...progress })
    },
  })
  t.deepEqual(calls, [{ pulled: 0, running: 0, done: 0, failed: 0 }])
})

test.serial('it is called while tasks run, but at most ten times a second', async (t) => {
  const times = []
  const seen = []
  await execute({
    maxTasksInFlight: 5,
    maxTasksInExecution: 3,
    taskSource: countedTasks(360),
    taskExecutor: () => sleep(10),
    onProgress: (progress) => {
      times.push(performance.now())
      seen.push({ ...progress })
    },
  })
  t.true(times.length >= 3, `${times.length} calls`)
  // The last call comes when the work ends, whenever the one before it was.
  const regular = times.slice(0, -1)
  for (let i = 10; i < regular.length; i++) t.true(regular[i] - regular[i - 10] > 950, 'no eleven within a second')
  for (const [i, { pulled, running, done, failed }] of seen.entries()) {
    t.true(running >= 0 && running <= 3)
    t.true(pulled >= done + failed + running)
    t.true(pulled - done - failed <= 5)
    if (i > 0) t.true(done >= seen[i - 1].done && pulled >= seen[i - 1].pulled)
  }
  t.true(seen.slice(0, -1).some(({ running }) => running > 0))
})

test('the last call comes after a failed source and after an abort as well', async (t) => {
  let last
  const onProgress = (progress) => {
    last = { ...progress }
  }
  await outcome(() =>
    execute({ taskSource: failingAfter(tasks(3), new Error('boom')), taskExecutor: () => turn(), onProgress }),
  )
  t.deepEqual(last, { pulled: 3, running: 0, done: 3, failed: 0 })

  const controller = new AbortController()
  const gate = deferred()
  const run = outcome(() =>
    execute({
      taskSource: silentAfter(tasks(2)),
      taskExecutor: () => gate.promise,
      onProgress,
      signal: controller.signal,
    }),
  )
  await sleep(5)
  controller.abort()
  gate.resolve()
  await settlesWithin(run)
  t.deepEqual(last, { pulled: 2, running: 0, done: 2, failed: 0 })
})

test.serial('a handler that throws does not disturb the run and surfaces as a warning', async (t) => {
  let executed = 0
  const warnings = await warningsDuring(async () => {
    t.is(
      await settlesWithin(
        execute({
          taskSource: countedTasks(20),
          taskExecutor: async () => {
            executed++
            await sleep(10)
          },
          onProgress: () => {
            throw new Error('progress broke')
          },
        }),
      ),
      undefined,
    )
  })
  t.is(executed, 20)
  t.true(warnings.some((warning) => warning.message.includes('progress broke')))
})

test.serial('the timer of onProgress does not outlive the run', async (t) => {
  const before = process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length
  await execute({ taskSource: tasks(3), taskExecutor: async () => {}, onProgress: () => {} })
  t.true(process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length <= before)
})
