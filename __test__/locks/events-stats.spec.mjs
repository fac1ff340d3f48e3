// Events: their order, and what each does to the counters. Listeners only listen.
import test from 'ava'
import { Synchronizer, SynchronizerProvider } from '../../index.mjs'
import { deferred, outcome, settlesWithin, sleep, turn } from '../helpers/async.mjs'
import { assertFree, counts, hold } from '../helpers/locks.mjs'
import { warningsDuring } from '../helpers/warnings.mjs'

/** A synchronizer whose events are noted. */
function listened(limit = 1, params = {}) {
  const events = []
  const provider = new SynchronizerProvider({
    providerId: 'provider',
    onEvent: (event) => {
      events.push(event)
    },
  })
  const lock = provider.createSynchronizer({ synchronizerId: 'lock', maxConcurrentExecution: limit, ...params })
  const of = (executionId) =>
    events
      .filter((event) => event.context.executionId === executionId)
      .map(({ type, stats }) => [type, stats.numberOfTasks, stats.numberOfRunningTasks])
  return { lock, events, of }
}

for (const [name, cb] of [
  ['resolves', async () => {}],
  [
    'rejects',
    async () => {
      throw new Error('boom')
    },
  ],
  [
    'throws',
    () => {
      throw new Error('boom')
    },
  ],
]) {
  test(`a normal run that ${name}: Acquire, Acquired, Release, Finish`, async (t) => {
    const { lock, of } = listened()
    await outcome(() => lock.synchronized({ executionId: 'run', cb }))
    t.deepEqual(of('run'), [
      ['Acquire', 1, 0],
      ['Acquired', 1, 1],
      ['Release', 0, 0],
      ['Finish', 0, 0],
    ])
  })
}

test('a re-entrant run: Enter, Exit, Finish, which change no counter', async (t) => {
  const { lock, of } = listened()
  await lock.synchronized(() => lock.synchronized({ executionId: 'inner', cb: async () => {} }))
  await lock.synchronized(() =>
    outcome(() =>
      lock.synchronized({
        executionId: 'failing',
        cb: async () => {
          throw 0
        },
      }),
    ),
  )
  for (const id of ['inner', 'failing'])
    t.deepEqual(of(id), [
      ['Enter', 1, 1],
      ['Exit', 1, 1],
      ['Finish', 1, 1],
    ])
})

test('a throttled call: Throttle alone', async (t) => {
  const { lock, of } = listened()
  const holder = await hold(lock)
  await outcome(() => lock.synchronized({ executionId: 'run', throttle: true, cb: async () => {} }))
  t.deepEqual(of('run'), [['Throttle', 1, 1]])
  await holder.release()
})

test('a call that times out: Acquire, Timeout', async (t) => {
  const { lock, of } = listened()
  const holder = await hold(lock)
  await outcome(() => lock.timeout(5).synchronized({ executionId: 'run', cb: async () => {} }))
  t.deepEqual(of('run'), [
    ['Acquire', 2, 1],
    ['Timeout', 1, 1],
  ])
  await holder.release()
})

test('a canceled call: Acquire, Cancel', async (t) => {
  const { lock, of } = listened()
  await outcome(() => lock.synchronized({ executionId: 'run', isCanceled: () => true, cb: async () => {} }))
  t.deepEqual(of('run'), [
    ['Acquire', 1, 0],
    ['Cancel', 0, 0],
  ])
})

test('an event carries its context, and a snapshot of the stats as a plain object with own fields', async (t) => {
  const { lock, events } = listened(2)
  await lock.synchronized({ executionId: 'run', cb: async () => {} })
  for (const event of events) {
    t.deepEqual({ ...event.context }, { providerId: 'provider', synchronizerId: 'lock', executionId: 'run' })
    t.is(Object.getPrototypeOf(event.stats), Object.prototype)
    t.deepEqual(Object.keys(event.stats).sort(), ['maxConcurrentExecution', 'numberOfRunningTasks', 'numberOfTasks'])
    t.is(event.stats.maxConcurrentExecution, 2)
  }
  t.is(new Set(events.map((event) => event.stats)).size, events.length)
})

test('stats is a plain object with own fields that counts waiting and running', async (t) => {
  const { lock } = listened(2)
  const holder = await hold(lock, 2)
  const waiting = lock.synchronized(async () => {})
  const { stats } = lock
  t.is(Object.getPrototypeOf(stats), Object.prototype)
  t.deepEqual(JSON.parse(JSON.stringify(stats)), {
    maxConcurrentExecution: 2,
    numberOfTasks: 3,
    numberOfRunningTasks: 2,
  })
  t.deepEqual(lock.timeout(5).stats, stats)
  t.deepEqual(lock.throttle().stats, stats)
  await holder.release()
  await waiting
})

test('the stats of all events are the running total of what each event does', async (t) => {
  const limit = 3
  const { lock, events } = listened(limit)
  const effect = {
    Acquire: [1, 0],
    Acquired: [0, 1],
    Release: [-1, -1],
    Finish: [0, 0],
    Enter: [0, 0],
    Exit: [0, 0],
    Throttle: [0, 0],
    Timeout: [-1, 0],
    Cancel: [-1, 0],
  }
  const calls = [
    () => lock.synchronized(() => turn()),
    () =>
      lock.synchronized(async () => {
        throw new Error('boom')
      }),
    () =>
      lock.synchronized(() => {
        throw new Error('boom')
      }),
    () => lock.timeout(2).synchronized(() => sleep(1)),
    () => lock.timeout(0).synchronized(async () => {}),
    () => lock.throttle().synchronized(() => sleep(1)),
    () => lock.synchronized({ isCanceled: () => true, cb: async () => {} }),
    () => lock.synchronized(() => lock.synchronized(() => turn())),
    () => lock.synchronized(() => sleep(2)),
  ]
  await Promise.allSettled(
    Array.from({ length: 300 }, async (_, i) => {
      if (i % 7 === 0) await turn()
      return calls[(i * 5) % calls.length]()
    }),
  )
  let [tasks, running] = [0, 0]
  for (const { type, stats } of events) {
    tasks += effect[type][0]
    running += effect[type][1]
    t.deepEqual([type, stats.numberOfTasks, stats.numberOfRunningTasks], [type, tasks, running])
    t.true(running >= 0 && running <= limit && tasks >= running)
  }
  t.deepEqual([tasks, running], [0, 0])
  t.deepEqual([...new Set(events.map((event) => event.type))].sort(), Object.keys(effect).sort())
  await assertFree(t, lock, limit)
})

test('emitEvent only notifies listeners', async (t) => {
  const { lock, events } = listened()
  const context = { providerId: 'provider', synchronizerId: 'lock', executionId: 'mine' }
  for (const type of ['Acquire', 'Acquired', 'Release', 'Timeout', 'Cancel']) {
    lock.emitEvent(type, context)
    t.deepEqual(counts(lock), { tasks: 0, running: 0 })
  }
  t.deepEqual(
    events.map((event) => event.type),
    ['Acquire', 'Acquired', 'Release', 'Timeout', 'Cancel'],
  )
  t.deepEqual({ ...events[0].context }, context)
  await assertFree(t, lock)
})

test('a listener may use the very lock it hears about', async (t) => {
  let depth = 0
  const inner = []
  const provider = new SynchronizerProvider({
    onEvent: () => {
      if (depth++ < 20) inner.push(provider.forKey('key').synchronized(async () => {}))
    },
  })
  const lock = provider.forKey('key')
  await settlesWithin(lock.synchronized(async () => {}))
  await settlesWithin(Promise.all(inner))
  t.deepEqual(counts(lock), { tasks: 0, running: 0 })
})

test('a listener that aborts the call it hears about loses no permit', async (t) => {
  for (const type of ['Acquire', 'Acquired', 'Release', 'Finish']) {
    const controller = new AbortController()
    const lock = new SynchronizerProvider({
      onEvent: (event) => {
        if (event.type === type && event.context.executionId === 'run') controller.abort('stop')
      },
    }).forKey('key')
    let entered = false
    const run = outcome(() =>
      lock.synchronized({
        executionId: 'run',
        signal: controller.signal,
        cb: async () => {
          entered = true
        },
      }),
    )
    const result = await settlesWithin(run)
    if (entered) t.is(result.status, 'fulfilled')
    else t.deepEqual(result, { status: 'rejected', reason: 'stop' })
    await assertFree(t, lock)
  }
})

test.serial('a listener that throws disturbs neither results nor permits, and surfaces as a warning', async (t) => {
  const warnings = await warningsDuring(async () => {
    const lock = new SynchronizerProvider({
      onEvent: ({ type }) => {
        throw new Error(`listener broke at ${type}`)
      },
    }).forKey('key')
    const gate = deferred()
    const holder = lock.synchronized(() => gate.promise)
    const ends = Promise.allSettled([
      lock.timeout(1).synchronized(async () => {}),
      lock.throttle().synchronized(async () => {}),
      lock.synchronized({ isCanceled: () => true, cb: async () => {} }),
      lock.synchronized(async () => {
        throw new Error('boom')
      }),
      lock.synchronized(() => lock.synchronized(async () => 'inner')),
    ])
    await sleep(10)
    gate.resolve('held')
    t.is(await settlesWithin(holder), 'held')
    const [timeout, throttle, cancel, failed, inner] = await settlesWithin(ends)
    t.is(timeout.reason.code, 'Timeout')
    t.is(throttle.reason.code, 'Throttle')
    t.is(cancel.reason.code, 'Cancel')
    t.is(failed.reason.message, 'boom')
    t.is(inner.value, 'inner')
    t.notThrows(() => lock.emitEvent('Acquire', { providerId: 'p', synchronizerId: 's', executionId: 'e' }))
    await assertFree(t, lock)
  })
  t.true(warnings.some((warning) => warning.message.includes('listener broke at Acquire')))
})

test.serial('an emitEvent overridden by a subclass that throws disturbs no permit either', async (t) => {
  for (const broken of ['Acquire', 'Acquired', 'Release', 'Finish', 'Timeout', 'Throttle', 'Cancel', 'Enter', 'Exit']) {
    class Loud extends Synchronizer {
      emitEvent(type) {
        if (type === broken) throw new Error(`${type} broke`)
      }
    }
    await warningsDuring(async () => {
      const lock = new Loud({ maxConcurrentExecution: 1 })
      const gate = deferred()
      const runs = [
        () => lock.synchronized(() => gate.promise),
        () => lock.timeout(0).synchronized(async () => {}),
        () => lock.throttle().synchronized(async () => {}),
        () => lock.synchronized({ isCanceled: () => true, cb: async () => {} }),
        () => lock.synchronized(() => lock.synchronized(async () => {})),
      ].map(outcome)
      await turn()
      gate.resolve()
      await settlesWithin(Promise.all(runs))
      await assertFree(t, lock)
    })
  }
})

test('a listener hears forKey, forObject and createSynchronizer alike', async (t) => {
  const ids = new Set()
  const provider = new SynchronizerProvider({
    onEvent: (event) => {
      ids.add(event.context.synchronizerId)
    },
  })
  const locks = [provider.forKey('key'), provider.forObject({}), provider.createSynchronizer()]
  await Promise.all(locks.map((lock) => lock.synchronized(async () => {})))
  t.deepEqual([...ids].sort(), locks.map((lock) => lock.synchronizerId).sort())
})
