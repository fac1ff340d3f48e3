// CachedProvider: how long a value is served, and who shares a load.
import test from 'ava'
import { CachedProvider, SynchronizerProvider } from '../../index.mjs'
import { deferred, outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { withFakeDate } from '../helpers/clock.mjs'

/** A provider of 1, 2, 3, ...: one more for each load. */
function counting(params = {}) {
  let loads = 0
  const provider = new CachedProvider({
    factory: async () => ++loads,
    synchronizerProvider: new SynchronizerProvider(),
    ...params,
  })
  return Object.assign(provider, { loads: () => loads })
}

test('both ways to make one', async (t) => {
  const synchronizerProvider = new SynchronizerProvider()
  const factory = async () => 'value'
  t.is(await new CachedProvider({ factory, synchronizerProvider }).get(), 'value')
  const made = synchronizerProvider.createCachedProvider({ factory })
  t.true(made instanceof CachedProvider)
  t.is(await made.get(), 'value')
})

test.serial('the TTL is 0 by default: each get() loads', async (t) => {
  await withFakeDate(async (clock) => {
    const cached = counting()
    t.is(await cached.get(), 1)
    clock.advance(1)
    t.is(await cached.get(), 2)
  })
})

test.serial('a value is served for defaultTTL milliseconds of Date', async (t) => {
  await withFakeDate(async (clock) => {
    const cached = counting({ defaultTTL: 1000 })
    t.is(await cached.get(), 1)
    clock.advance(999)
    t.is(await cached.get(), 1)
    clock.advance(2)
    t.is(await cached.get(), 2)
    clock.advance(500)
    t.is(await cached.get(), 2)
  })
})

test.serial('get(ttl) sets the TTL for this call', async (t) => {
  await withFakeDate(async (clock) => {
    const cached = counting({ defaultTTL: 1000 })
    t.is(await cached.get(), 1)
    clock.advance(600)
    t.is(await cached.get(500), 2, 'too old for this caller')
    clock.advance(600)
    t.is(await cached.get(), 2)
    clock.advance(600)
    t.is(await cached.get(5000), 2, 'young enough for this caller')
    clock.advance(1)
    t.is(await cached.get(0), 3)
  })
})

test.serial('faked clocks work: a step forward past the TTL makes the value stale', async (t) => {
  await withFakeDate(async (clock) => {
    const cached = counting({ defaultTTL: 60_000 })
    t.is(await cached.get(), 1)
    clock.advance(24 * 3600_000)
    t.is(await cached.get(), 2)
  })
})

test.serial('cacheTimestamp can backdate a value', async (t) => {
  await withFakeDate(async (clock) => {
    const seen = []
    const cached = counting({
      defaultTTL: 1000,
      cacheTimestamp: (value) => {
        seen.push(value)
        return new Date(clock.now() - (value === 1 ? 900 : 0))
      },
    })
    t.is(await cached.get(), 1)
    clock.advance(99)
    t.is(await cached.get(), 1)
    clock.advance(2)
    t.is(await cached.get(), 2)
    clock.advance(999)
    t.is(await cached.get(), 2)
    t.deepEqual([...new Set(seen)], [1, 2])
  })
})

test('callers who asked before the load began share its result, with TTL 0 too', async (t) => {
  const cached = counting({ defaultTTL: 0 })
  t.deepEqual(await Promise.all([1, 2, 3, 4, 5].map(() => cached.get())), [1, 1, 1, 1, 1])
  t.is(cached.loads(), 1)
})

test('callers with different TTLs share a load as well', async (t) => {
  const cached = counting()
  t.deepEqual(await Promise.all([0, 10, undefined, 60_000].map((ttl) => cached.get(ttl))), [1, 1, 1, 1])
})

test('callers who ask while the value is being loaded are served by it as long as their TTL allows', async (t) => {
  const gate = deferred()
  let loads = 0
  const cached = counting({
    factory: async () => {
      loads++
      await gate.promise
      return 'value'
    },
    defaultTTL: 60_000,
  })
  const first = cached.get()
  await turn()
  const second = cached.get()
  gate.resolve()
  t.deepEqual(await settlesWithin(Promise.all([first, second])), ['value', 'value'])
  t.is(loads, 1)
})

for (const [name, fail] of [
  [
    'rejects',
    async (reason) => {
      throw reason
    },
  ],
  [
    'throws synchronously',
    (reason) => {
      throw reason
    },
  ],
]) {
  for (const reason of [new Error('boom'), undefined, 0]) {
    test(`a factory that ${name} (${String(reason)}) rejects get(), and the failure is not kept`, async (t) => {
      let calls = 0
      const cached = counting({
        factory: () => (++calls === 1 ? fail(reason) : Promise.resolve('value')),
        defaultTTL: 60_000,
      })
      t.deepEqual(await settlesWithin(outcome(() => cached.get())), { status: 'rejected', reason })
      t.is(await settlesWithin(cached.get()), 'value')
      t.is(await cached.get(), 'value')
      t.is(calls, 2)
    })
  }
}

test('concurrent callers of a failing factory all settle, and a later one gets the value', async (t) => {
  let calls = 0
  let failing = true
  const reason = new Error('boom')
  const cached = counting({
    factory: async () => {
      calls++
      await turn()
      if (failing) throw reason
      return 'value'
    },
  })
  const results = await settlesWithin(Promise.all([1, 2, 3].map(() => outcome(() => cached.get()))))
  t.deepEqual(results, Array(3).fill({ status: 'rejected', reason }))
  t.true(calls >= 1 && calls <= 3)
  failing = false
  t.is(await settlesWithin(cached.get()), 'value')
})

test('a cacheTimestamp that throws rejects get() and frees the lock', async (t) => {
  let broken = true
  const cached = counting({
    defaultTTL: 60_000,
    cacheTimestamp: () => {
      if (broken) throw new Error('cacheTimestamp broke')
      return new Date()
    },
  })
  await t.throwsAsync(settlesWithin(cached.get()), { message: 'cacheTimestamp broke' })
  broken = false
  t.is(typeof (await settlesWithin(cached.get())), 'number')
})

test('falsy values are cached like others', async (t) => {
  for (const value of [null, 0, '', false]) {
    let loads = 0
    const cached = counting({
      factory: async () => {
        loads++
        return value
      },
      defaultTTL: 60_000,
    })
    t.is(await cached.get(), value)
    t.is(await cached.get(), value)
    t.is(loads, 1)
  }
})

test('cached providers of one synchronizer provider do not hold each other up', async (t) => {
  const synchronizerProvider = new SynchronizerProvider()
  const slow = synchronizerProvider.createCachedProvider({ factory: () => new Promise(() => {}) })
  const quick = synchronizerProvider.createCachedProvider({ factory: async () => 'value' })
  slow.get()
  await turn()
  t.is(await settlesWithin(quick.get()), 'value')
})

test('a factory may ask its own provider while others wait for the next load', async (t) => {
  let loads = 0
  const begun = deferred()
  const asked = deferred()
  const cached = counting({
    factory: async () => {
      if (++loads > 1) return 'inner'
      begun.resolve()
      await asked.promise
      return `outer of ${await cached.get(60_000)}`
    },
  })
  const first = cached.get()
  await begun.promise
  const second = cached.get()
  asked.resolve()
  t.is(await settlesWithin(first), 'outer of inner')
  t.is(typeof (await settlesWithin(second)), 'string')
})

test('capture hands its params to the callback and returns the result', (t) => {
  const params = { table: 'users' }
  let given
  const result = {}
  t.is(
    CachedProvider.capture(params, (captured) => {
      given = captured
      return result
    }),
    result,
  )
  t.is(given, params)
})
