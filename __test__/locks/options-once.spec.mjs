// Options are read once, at the call: what getters say later, and what becomes of the object meanwhile, changes nothing.
import test from 'ava'
import { CachedProvider, Semaphore, SynchronizerProvider } from '../../index.mjs'
import { outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { assertFree, hold, newSynchronizer } from '../helpers/locks.mjs'

const boom = () => {
  throw new Error('boom')
}

/** The values as getters on a prototype that throw when they are asked again, and what was asked. */
function once(values) {
  const asked = []
  const prototype = {}
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(prototype, name, {
      get() {
        if (asked.includes(name)) throw new Error(`${name} was read again`)
        asked.push(name)
        return value
      },
    })
  }
  return { options: Object.create(prototype), asked }
}

/** Each way to hand over options to a call that waits: `run(lock, options)`. */
const ways = {
  synchronized: { needs: ['cb', 'signal'], run: (lock, options) => lock.synchronized(options) },
  'timeout().synchronized': {
    needs: ['cb', 'signal'],
    run: (lock, options) => lock.timeout(60_000).synchronized(options),
  },
  acquire: {
    needs: ['signal', 'timeout'],
    run: async (lock, options) => {
      const guard = await lock.acquire(options)
      guard.release()
      return 'value'
    },
  },
  'a view': {
    needs: ['signal'],
    run: (lock, options) => lock.timeout(60_000, options).synchronized(async () => 'value'),
  },
}

for (const [way, { needs, run }] of Object.entries(ways)) {
  const valuesOf = (controller) => {
    const values = { cb: async () => 'value', signal: controller.signal, timeout: 60_000 }
    return Object.fromEntries(needs.map((name) => [name, values[name]]))
  }

  test(`${way}: getters are asked once`, async (t) => {
    const lock = newSynchronizer(1, { onEvent: () => {} })
    const holder = await hold(lock)
    const { options, asked } = once(valuesOf(new AbortController()))
    const waiting = run(lock, options)
    await turn()
    await holder.release()
    t.is(await settlesWithin(waiting), 'value')
    t.deepEqual(asked.toSorted(), needs.toSorted())
    await assertFree(t, lock)
  })

  test(`${way}: what is done to the object while the call waits changes nothing`, async (t) => {
    const lock = newSynchronizer()
    const holder = await hold(lock)
    const controller = new AbortController()
    const options = valuesOf(controller)
    const aborted = outcome(() => run(lock, options))
    const behind = run(lock, { ...options, signal: undefined })
    await turn()
    for (const name of Object.keys(options)) delete options[name]
    Object.assign(options, { cb: boom, isCanceled: boom, timeout: 1, throttle: true })
    controller.abort('stop')
    t.deepEqual(await settlesWithin(aborted), { status: 'rejected', reason: 'stop' })
    await holder.release()
    t.is(await settlesWithin(behind), 'value')
    await assertFree(t, lock)
  })

  for (const name of needs) {
    test(`${way}: a getter of ${name} that throws fails the call, and the lock stays free`, async (t) => {
      const lock = newSynchronizer()
      const options = Object.defineProperty(valuesOf(new AbortController()), name, { get: boom })
      const result = await settlesWithin(outcome(() => run(lock, options)))
      t.is(result.reason?.message, 'boom')
      await assertFree(t, lock)
    })
  }
}

test('a Semaphore reads its options once, and rejects when that throws', async (t) => {
  const semaphore = new Semaphore(1)
  const events = []
  const { options } = once({ onEvent: (type) => events.push(type), isCanceled: () => false, throttle: false })
  t.is(await semaphore.synchronized(async () => 'value', options), 'value')
  t.deepEqual(events, ['Acquire', 'Acquired', 'Release', 'Finish'])
  const promise = semaphore.synchronized(async () => {}, Object.defineProperty({}, 'onEvent', { get: boom }))
  await t.throwsAsync(promise, { message: 'boom' })
  await assertFree(t, semaphore)
})

test('a provider and its synchronizers read their parameters once', async (t) => {
  const events = []
  const { options, asked } = once({
    providerId: 'mine',
    onEvent: ({ type }) => events.push(type),
    raiseOnReentrant: true,
    scope: 'thread',
  })
  const provider = new SynchronizerProvider(options)
  const inherited = once({ synchronizerId: 'lock', maxConcurrentExecution: 2 })
  for (const lock of [provider.forKey('key'), provider.forObject({}), provider.createSynchronizer(inherited.options)]) {
    t.is(lock.providerId, 'mine')
    t.is(lock.params.providerId, 'mine')
    await t.throwsAsync(
      lock.synchronized(() => lock.synchronized(async () => {})),
      { code: 'ReentrantExecution' },
    )
    await lock.synchronized(async () => {})
  }
  t.true(events.length > 0)
  t.deepEqual(asked.toSorted(), ['onEvent', 'providerId', 'raiseOnReentrant', 'scope'])
  t.deepEqual(inherited.asked.toSorted(), ['maxConcurrentExecution', 'synchronizerId'])
  t.is(provider.params, options)
})

test('what is done to the parameters of a provider later changes nothing', async (t) => {
  const params = { providerId: 'mine' }
  const provider = new SynchronizerProvider(params)
  const own = { synchronizerId: 'lock', maxConcurrentExecution: 2 }
  const lock = provider.createSynchronizer(own)
  Object.assign(params, { providerId: 'other', raiseOnReentrant: true, onEvent: boom, scope: 'process' })
  Object.assign(own, { synchronizerId: 'other' })
  for (const each of [lock, provider.forKey('key'), provider.createSynchronizer({ synchronizerId: 'late' })]) {
    t.is(await each.synchronized(() => each.synchronized(async () => 'entered')), 'entered')
    t.is(each.params.providerId, 'mine')
    t.is(each.params.onEvent, undefined)
  }
  t.is(lock.params.synchronizerId, 'lock')
})

test('a CachedProvider reads its parameters once', async (t) => {
  const synchronizerProvider = new SynchronizerProvider()
  for (const make of [
    (params) => new CachedProvider({ ...params, factory: params.factory, synchronizerProvider }),
    (params) => synchronizerProvider.createCachedProvider(params),
  ]) {
    const params = { factory: async () => 'value', defaultTTL: 1000 }
    const cache = make(params)
    Object.assign(params, { factory: boom, defaultTTL: NaN, cacheTimestamp: boom })
    t.is(await cache.get(), 'value')
  }
  const { options } = once({ factory: async () => 'value', defaultTTL: 1000 })
  const cache = synchronizerProvider.createCachedProvider(options)
  t.is(await cache.get(), 'value')
})
