// executeTasks with a signal: what still ends, what never starts, and that the source is closed once.
import { getEventListeners } from 'node:events'
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import {
  deferred,
  isPending,
  microtasks,
  outcome,
  settlesBefore,
  settlesWithin,
  turn,
  turns,
  unstalled,
} from '../helpers/async.mjs'
import { countedTasks, recordedSource, silentAfter, tasks } from '../helpers/sources.mjs'

const execute = (params) => new SynchronizerProvider().executeTasks({ maxTasksInFlight: 10, ...params })
const listeners = (signal) => getEventListeners(signal, 'abort').length

for (const reason of [new Error('stop'), 0, null, 'text']) {
  test(`an abort while the source is stalled rejects with the signal's reason (${String(reason)})`, async (t) => {
    const controller = new AbortController()
    const source = silentAfter(tasks(3))
    const run = outcome(() => execute({ taskSource: source, taskExecutor: () => turn(), signal: controller.signal }))
    await turns(10)
    controller.abort(reason)
    t.deepEqual(await settlesWithin(run), { status: 'rejected', reason })
    t.is(source.returnCalls, 1)
    t.is(listeners(controller.signal), 0)
  })
}

test('a generator stalled in an await cannot be closed and is not waited for', async (t) => {
  const controller = new AbortController()
  const source = (async function* () {
    yield await deferred().promise
  })()
  const run = outcome(() => execute({ taskSource: source, taskExecutor: () => turn(), signal: controller.signal }))
  await turn()
  controller.abort('stop')
  t.true(await settlesBefore(run, 1000))
  t.deepEqual(await run, { status: 'rejected', reason: 'stop' })
})

test("the source's clean-up has run when executeTasks rejects", async (t) => {
  await unstalled(
    async () => {
      const controller = new AbortController()
      let closed = false
      const source = (async function* () {
        try {
          for (let task = 0; ; task++) yield { task }
        } finally {
          await turns(5)
          closed = true
        }
      })()
      const gate = deferred()
      const run = outcome(() =>
        execute({
          maxTasksInFlight: 2,
          taskSource: source,
          taskExecutor: () => gate.promise,
          signal: controller.signal,
        }),
      )
      await turns(5)
      controller.abort('stop')
      gate.resolve()
      t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
      return closed
    },
    (closed) => t.true(closed),
  )
})

test('an abort after the source is done rejects once the running tasks have settled', async (t) => {
  const controller = new AbortController()
  const gates = [deferred(), deferred(), deferred()]
  const source = countedTasks(3)
  let finished = 0
  const run = outcome(() =>
    execute({
      taskSource: source,
      taskExecutor: async ({ task }) => {
        await gates[task].promise
        finished++
      },
      signal: controller.signal,
    }),
  )
  await turns(5)
  t.is(source.nextCalls, 4)
  controller.abort('stop')
  for (const gate of gates) {
    t.true(await isPending(run))
    gate.resolve()
  }
  t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
  t.is(finished, 3)
  t.is(listeners(controller.signal), 0)
})

test('tasks pulled but not started are dropped on abort', async (t) => {
  const controller = new AbortController()
  const gate = deferred()
  const started = []
  const source = countedTasks(100)
  const run = outcome(() =>
    execute({
      maxTasksInFlight: 5,
      maxTasksInExecution: 2,
      taskSource: source,
      taskExecutor: async ({ task }) => {
        started.push(task)
        await gate.promise
      },
      signal: controller.signal,
    }),
  )
  await turns(5)
  t.is(source.nextCalls, 5)
  controller.abort('stop')
  t.true(await isPending(run))
  gate.resolve()
  t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
  t.deepEqual(started, [0, 1])
  t.is(source.returnCalls, 1)
  t.is(source.nextCalls, 5)
})

test('the failures of tasks that were running still go to onTaskError', async (t) => {
  const controller = new AbortController()
  const errors = []
  const result = await settlesWithin(
    outcome(() =>
      execute({
        taskSource: countedTasks(2),
        taskExecutor: async ({ task }) => {
          await turns(3)
          controller.abort('stop')
          throw task
        },
        onTaskError: (error) => {
          errors.push(error)
        },
        signal: controller.signal,
      }),
    ),
  )
  t.deepEqual(result, { status: 'rejected', reason: 'stop' })
  t.deepEqual(errors, [0, 1])
})

test('a signal that is already aborted starts no task and pulls none', async (t) => {
  const source = countedTasks(3)
  const signal = AbortSignal.abort('stop')
  t.deepEqual(
    await settlesWithin(outcome(() => execute({ taskSource: source, taskExecutor: async () => t.fail(), signal }))),
    { status: 'rejected', reason: 'stop' },
  )
  t.is(source.nextCalls, 0)
  t.true(source.returnCalls <= 1)
  t.is(listeners(signal), 0)
})

test('an abort within the executor or within the source starts no further task', async (t) => {
  for (const where of ['executor', 'source']) {
    const controller = new AbortController()
    let after = 0
    const source = recordedSource(async (call) => {
      if (where === 'source' && call === 4) controller.abort('stop')
      return { done: false, value: { task: call } }
    })
    const result = await settlesWithin(
      outcome(() =>
        execute({
          maxTasksInExecution: 2,
          taskSource: source,
          taskExecutor: async ({ task }) => {
            if (controller.signal.aborted) after++
            if (where === 'executor' && task === 4) controller.abort('stop')
            await turn()
          },
          signal: controller.signal,
        }),
      ),
    )
    t.deepEqual(result, { status: 'rejected', reason: 'stop' }, where)
    t.is(after, 0, where)
    t.is(source.returnCalls, 1, where)
  }
})

for (const where of ['key', 'key with synchronizers', 'onTaskError', 'onProgress', 'return']) {
  test(`an abort within ${where} starts no further task`, async (t) => {
    const controller = new AbortController()
    const stop = () => {
      controller.abort('stop')
    }
    let after = 0
    const source = countedTasks(1000, async () => {
      if (where === 'return') stop()
      return { done: true, value: undefined }
    })
    const result = await settlesWithin(
      outcome(() =>
        execute({
          maxTasksInExecution: 2,
          taskSource: source,
          taskExecutor: async ({ task }) => {
            if (controller.signal.aborted) after++
            await turn()
            if (where === 'return' && task === 5) stop()
            if (task === 3) throw new Error('boom')
          },
          onTaskError: where === 'onTaskError' ? stop : undefined,
          onProgress: where === 'onProgress' ? stop : undefined,
          limitPerKey: where.startsWith('key')
            ? {
                key: (task) => {
                  if (task === 4) stop()
                  return `key ${task % 2}`
                },
                maxTasksInExecution: 1,
                synchronizers: where === 'key' ? undefined : new SynchronizerProvider(),
              }
            : undefined,
          signal: controller.signal,
        }),
      ),
    )
    t.deepEqual(result, { status: 'rejected', reason: 'stop' })
    t.is(after, 0)
    t.is(source.returnCalls, 1)
    t.is(listeners(controller.signal), 0)
  })
}

test('an abort is heard although another listener stops its propagation', async (t) => {
  const controller = new AbortController()
  controller.signal.addEventListener('abort', (event) => {
    event.stopImmediatePropagation()
  })
  const run = outcome(() =>
    execute({ taskSource: silentAfter(tasks(1)), taskExecutor: () => turn(), signal: controller.signal }),
  )
  await turns(3)
  controller.abort('stop')
  t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
})

test('an abort at each possible moment ends in one of the two ways, and never starts a task afterwards', async (t) => {
  for (let moment = 0; moment < 120; moment++) {
    const controller = new AbortController()
    const { signal } = controller
    const reason = new Error('stop')
    let running = 0
    let after = 0
    let finished = 0
    const source = countedTasks(6)
    const run = outcome(() =>
      execute({
        maxTasksInFlight: 3,
        maxTasksInExecution: 2,
        taskSource: source,
        taskExecutor: async () => {
          if (signal.aborted) after++
          running++
          await microtasks(3)
          running--
          finished++
        },
        signal,
      }),
    )
    await microtasks(moment)
    controller.abort(reason)
    const result = await settlesWithin(run)
    t.is(running, 0)
    t.is(after, 0)
    if (result.status === 'fulfilled') t.is(finished, 6)
    else t.is(result.reason, reason)
    t.true(source.returnCalls <= 1)
    t.is(listeners(signal), 0)
  }
})

test('a source whose return() throws, rejects or stays silent does not hide the reason', async (t) => {
  for (const onReturn of [
    () => {
      throw new Error('return threw')
    },
    async () => {
      throw new Error('return rejected')
    },
    () => deferred().promise,
  ]) {
    const controller = new AbortController()
    const source = silentAfter(tasks(1), onReturn)
    const run = outcome(() => execute({ taskSource: source, taskExecutor: () => turn(), signal: controller.signal }))
    await turns(5)
    controller.abort('stop')
    t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
    t.is(source.returnCalls, 1)
  }
})

test('a source without return() may be aborted', async (t) => {
  const controller = new AbortController()
  let pulled = 0
  const source = { next: async () => ({ done: false, value: { task: pulled++ } }) }
  const run = outcome(() => execute({ taskSource: source, taskExecutor: () => turn(), signal: controller.signal }))
  await turns(3)
  controller.abort('stop')
  t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
})

test('a sync source is closed too', async (t) => {
  const controller = new AbortController()
  let closed = 0
  const source = (function* () {
    try {
      for (let task = 0; ; task++) yield { task }
    } finally {
      closed++
    }
  })()
  const run = outcome(() => execute({ taskSource: source, taskExecutor: () => turn(), signal: controller.signal }))
  await turns(3)
  controller.abort('stop')
  t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
  t.is(closed, 1)
})

test('what a stalled source does after the abort is no unhandled rejection and starts nothing', async (t) => {
  for (const late of [
    (gate) => gate.reject(new Error('late')),
    (gate) => gate.resolve({ done: false, value: { task: 'late' } }),
  ]) {
    const controller = new AbortController()
    const gate = deferred()
    const source = recordedSource(() => gate.promise)
    const run = outcome(() =>
      execute({ taskSource: source, taskExecutor: async () => t.fail(), signal: controller.signal }),
    )
    await turn()
    controller.abort('stop')
    t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
    late(gate)
    await turns(3)
    t.is(source.returnCalls, 1)
  }
})

test('one signal for many runs keeps no listener', async (t) => {
  const controller = new AbortController()
  let fired = 0
  controller.signal.onabort = () => {
    fired++
  }
  await Promise.all(
    Array.from({ length: 100 }, () =>
      execute({ taskSource: tasks(3), taskExecutor: () => turn(), signal: controller.signal }),
    ),
  )
  t.is(listeners(controller.signal), 1, "only the owner's own")
  const runs = [1, 2].map(() =>
    outcome(() => execute({ taskSource: silentAfter([]), taskExecutor: () => turn(), signal: controller.signal })),
  )
  await turn()
  controller.abort('stop')
  for (const run of runs) t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
  t.is(fired, 1)
})

test('an abort after the end changes nothing', async (t) => {
  const controller = new AbortController()
  const source = countedTasks(3)
  await execute({ taskSource: source, taskExecutor: async () => {}, signal: controller.signal })
  t.is(listeners(controller.signal), 0)
  controller.abort()
  await turn()
  t.is(source.returnCalls, 0)
})
