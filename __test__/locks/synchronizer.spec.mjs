// Synchronizer and its provider: identity, parameters, contexts, views.
import test from 'ava'
import { Synchronizer, SynchronizerProvider } from '../../index.mjs'
import { deferred, isPending, outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { assertFree, counts, hold, newSynchronizer } from '../helpers/locks.mjs'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

test('a provider keeps its params', (t) => {
  const params = { providerId: 'orders', onEvent: () => {} }
  const provider = new SynchronizerProvider(params)
  t.is(provider.params.providerId, 'orders')
  t.is(provider.params.onEvent, params.onEvent)
})

test('a provider needs no params', (t) => {
  t.truthy(new SynchronizerProvider().forKey('key'))
  t.truthy(new SynchronizerProvider({}).forKey('key'))
})

test('nextId() gives a new number each time', (t) => {
  const provider = new SynchronizerProvider()
  const ids = Array.from({ length: 100 }, () => provider.nextId())
  t.true(ids.every(Number.isInteger))
  t.is(new Set(ids).size, 100)
})

test('everything a provider makes is a Synchronizer that names its provider', (t) => {
  const provider = new SynchronizerProvider({ providerId: 'orders' })
  for (const synchronizer of [provider.forKey('key'), provider.forObject({}), provider.createSynchronizer()]) {
    t.true(synchronizer instanceof Synchronizer)
    t.is(synchronizer.providerId, 'orders')
    t.is(typeof synchronizer.synchronizerId, 'string')
    t.is(typeof synchronizer.params, 'object')
  }
})

test('ids tell the key or the constructor, and are UUIDs where none is given', (t) => {
  class Account {}
  const provider = new SynchronizerProvider()
  t.regex(provider.forKey('invoice 7').synchronizerId, /^id:\d+ key:invoice 7$/)
  t.regex(provider.forObject(new Account()).synchronizerId, /^id:\d+ obj:Account$/)
  t.regex(provider.forObject({}).synchronizerId, /^id:\d+ obj:Object$/)
  t.regex(provider.createSynchronizer().synchronizerId, uuid)
  t.regex(provider.forKey('key').providerId, uuid)
  t.not(provider.createSynchronizer().synchronizerId, provider.createSynchronizer().synchronizerId)
  t.not(new SynchronizerProvider().forKey('key').providerId, provider.forKey('key').providerId)
})

test('createSynchronizer lays its params over those of the provider', async (t) => {
  const heard = []
  const provider = new SynchronizerProvider({
    providerId: 'orders',
    onEvent: () => {
      heard.push('provider')
    },
  })
  const synchronizer = provider.createSynchronizer({
    synchronizerId: 'mine',
    maxConcurrentExecution: 3,
    raiseOnReentrant: true,
    onEvent: () => {
      heard.push('synchronizer')
    },
  })
  t.is(synchronizer.providerId, 'orders')
  t.is(synchronizer.synchronizerId, 'mine')
  t.is(synchronizer.stats.maxConcurrentExecution, 3)
  t.is(synchronizer.params.synchronizerId, 'mine')
  t.is(synchronizer.params.maxConcurrentExecution, 3)
  t.is(synchronizer.params.raiseOnReentrant, true)
  await synchronizer.synchronized(async () => {
    await t.throwsAsync(
      synchronizer.synchronized(async () => {}),
      { code: 'ReentrantExecution' },
    )
  })
  t.deepEqual([...new Set(heard)], ['synchronizer'])
})

test('a callback is given the context', async (t) => {
  const synchronizer = new SynchronizerProvider({ providerId: 'orders' }).createSynchronizer({ synchronizerId: 'mine' })
  await synchronizer.synchronized(async (context) => {
    t.is(context.providerId, 'orders')
    t.is(context.synchronizerId, 'mine')
    t.regex(context.executionId, uuid)
  })
  await synchronizer.synchronized({
    executionId: 'execution 7',
    cb: async (context) => {
      t.deepEqual({ ...context }, { providerId: 'orders', synchronizerId: 'mine', executionId: 'execution 7' })
    },
  })
})

test('an executionId is shaped like a UUID and unique in the process', async (t) => {
  const ids = new Set()
  const synchronizers = [newSynchronizer(1000), newSynchronizer(1000)]
  await Promise.all(
    Array.from({ length: 20_000 }, (_, i) =>
      synchronizers[i % 2].synchronized(async ({ executionId }) => {
        ids.add(executionId)
      }),
    ),
  )
  t.is(ids.size, 20_000)
  t.true([...ids].every((id) => uuid.test(id)))
})

test('a callback never starts inside the call itself', async (t) => {
  const synchronizer = newSynchronizer()
  for (const call of [
    (cb) => synchronizer.synchronized(cb),
    (cb) => synchronizer.synchronized({ cb }),
    (cb) => synchronizer.timeout(10_000).synchronized(cb),
    (cb) => synchronizer.throttle().synchronized(cb),
  ]) {
    let started = false
    const run = call(async () => {
      started = true
    })
    t.false(started)
    await run
    t.true(started)
  }
})

test('both forms of the argument give the result or the reason of the callback', async (t) => {
  const synchronizer = newSynchronizer()
  for (const reason of [new Error('boom'), undefined, null, 0, '', false]) {
    const fail = async () => {
      throw reason
    }
    t.deepEqual(await outcome(() => synchronizer.synchronized(fail)), { status: 'rejected', reason })
    t.deepEqual(await outcome(() => synchronizer.synchronized({ cb: fail })), { status: 'rejected', reason })
  }
  const value = {}
  t.is(await synchronizer.synchronized(async () => value), value)
  t.is(await synchronizer.synchronized({ cb: async () => value }), value)
  await assertFree(t, synchronizer)
})

for (const [name, callback, result] of [
  [
    'throws before returning a promise',
    () => {
      throw 'reason'
    },
    { status: 'rejected', reason: 'reason' },
  ],
  ['returns a plain value', () => 5, { status: 'fulfilled', value: 5 }],
  ['returns nothing', () => {}, { status: 'fulfilled', value: undefined }],
  [
    'returns a bare thenable',
    () => ({ then: (resolve) => setImmediate(resolve, 5) }),
    { status: 'fulfilled', value: 5 },
  ],
  [
    'returns a rejecting thenable',
    () => ({ then: (_, reject) => reject('reason') }),
    { status: 'rejected', reason: 'reason' },
  ],
]) {
  test(`a callback that ${name} settles like an async one and frees the permit, in each way to call`, async (t) => {
    const synchronizer = newSynchronizer()
    for (const call of [
      () => synchronizer.synchronized(callback),
      () => synchronizer.synchronized({ cb: callback }),
      () => synchronizer.timeout(10_000).synchronized(callback),
      () => synchronizer.throttle().synchronized({ cb: callback }),
      () => synchronizer.synchronized(() => synchronizer.synchronized(callback)),
    ]) {
      t.deepEqual(await settlesWithin(outcome(call)), result)
      await assertFree(t, synchronizer)
      const holder = await hold(synchronizer)
      const queued = outcome(() => synchronizer.synchronized(callback))
      await holder.release()
      t.deepEqual(await settlesWithin(queued), result)
      await assertFree(t, synchronizer)
    }
  })
}

test('a missing callback is refused and costs no permit', async (t) => {
  for (const argument of [undefined, null, 1, 'text', {}, { cb: undefined }, { cb: 'text' }]) {
    const synchronizer = newSynchronizer()
    const result = await outcome(() => synchronizer.synchronized(argument))
    t.is(result.status, 'rejected')
    t.true(result.reason instanceof Error)
    await assertFree(t, synchronizer)
  }
})

test('timeout() and throttle() return views with the same stats and their own synchronized', async (t) => {
  const synchronizer = newSynchronizer(2)
  const holder = await hold(synchronizer)
  for (const view of [synchronizer.timeout(10_000), synchronizer.throttle()]) {
    t.deepEqual({ ...view.stats }, { maxConcurrentExecution: 2, numberOfTasks: 1, numberOfRunningTasks: 1 })
    t.is(await view.synchronized(async () => 'callback'), 'callback')
    t.is(await view.synchronized({ cb: async ({ executionId }) => executionId, executionId: 'given' }), 'given')
  }
  await holder.release()
  await assertFree(t, synchronizer, 2)
})

test('throttle as a parameter of synchronized works like the view', async (t) => {
  const synchronizer = newSynchronizer()
  t.is(await synchronizer.synchronized({ cb: async () => 'free', throttle: true }), 'free')
  const holder = await hold(synchronizer)
  await t.throwsAsync(synchronizer.synchronized({ cb: async () => t.fail(), throttle: true }), { code: 'Throttle' })
  await holder.release()
  await assertFree(t, synchronizer)
})

test('synchronizers without a limit let one in at a time', async (t) => {
  const provider = new SynchronizerProvider()
  for (const synchronizer of [
    provider.forKey('key'),
    provider.forObject({}),
    provider.createSynchronizer(),
    provider.createSynchronizer({ maxConcurrentExecution: null }),
    provider.forKey('null', null),
  ]) {
    t.is(synchronizer.stats.maxConcurrentExecution, 1)
    const gate = deferred()
    const first = synchronizer.synchronized(() => gate.promise)
    const second = synchronizer.synchronized(async () => {})
    await turn()
    t.deepEqual(counts(synchronizer), { tasks: 2, running: 1 })
    t.true(await isPending(second))
    gate.resolve()
    await Promise.all([first, second])
  }
})

test('different synchronizers do not hold each other up', async (t) => {
  const provider = new SynchronizerProvider()
  const holders = await Promise.all([
    hold(provider.forKey('a')),
    hold(provider.forKey('b')),
    hold(provider.forObject({})),
  ])
  t.is(await settlesWithin(provider.forKey('c').synchronized(async () => 'entered')), 'entered')
  await Promise.all(holders.map((holder) => holder.release()))
})
