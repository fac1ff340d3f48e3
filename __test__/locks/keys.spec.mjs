// Which calls of forKey and forObject mean the same lock, how long a key's entry lives, and what happens after it.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { deferred, outcome, settlesWithin, sleep, turn } from '../helpers/async.mjs'
import { gc, gcUntil } from '../helpers/gc.mjs'
import { assertFree, counts, hold } from '../helpers/locks.mjs'

test('forKey returns the same object for the same key while it is referenced', async (t) => {
  const provider = new SynchronizerProvider()
  const first = provider.forKey('key')
  t.is(provider.forKey('key'), first)
  t.is(provider.forKey(['k', 'e', 'y'].join('')), first)
  await gc()
  t.is(provider.forKey('key'), first)
  t.not(provider.forKey('other'), first)
})

test('forObject does the same by identity', async (t) => {
  const provider = new SynchronizerProvider()
  const [a, b] = [{}, {}]
  const forA = provider.forObject(a)
  t.is(provider.forObject(a), forA)
  t.not(provider.forObject(b), forA)
  await gc()
  t.is(provider.forObject(a), forA)
  const fn = () => {}
  t.is(provider.forObject(fn), provider.forObject(fn), 'functions are objects')
})

test('forObject copes with objects that hide their constructor', async (t) => {
  const provider = new SynchronizerProvider()
  for (const object of [Object.create(null), { constructor: undefined }, { constructor: 5 }]) {
    const synchronizer = provider.forObject(object)
    t.is(await synchronizer.synchronized(async () => 'entered'), 'entered')
    t.is(provider.forObject(object), synchronizer)
  }
})

test('forObject refuses what is no object', (t) => {
  const provider = new SynchronizerProvider()
  for (const value of [undefined, null, 1, 'text', true]) t.throws(() => provider.forObject(value))
})

test('providers do not share keys or objects', async (t) => {
  const [one, two] = [new SynchronizerProvider(), new SynchronizerProvider()]
  const object = {}
  t.not(one.forKey('key'), two.forKey('key'))
  t.not(one.forObject(object), two.forObject(object))
  const holder = await hold(one.forKey('key'))
  t.is(await settlesWithin(two.forKey('key').synchronized(async () => 'entered')), 'entered')
  await holder.release()
})

test('the first limit given for a key or an object wins', (t) => {
  const provider = new SynchronizerProvider()
  const object = {}
  for (const get of [(limit) => provider.forKey('key', limit), (limit) => provider.forObject(object, limit)]) {
    const first = get(2)
    const second = get(5)
    t.is(second, first)
    t.is(second.stats.maxConcurrentExecution, 2)
    t.is(get(undefined).stats.maxConcurrentExecution, 2)
  }
})

test('an entry that is gone takes the limit of the next call', async (t) => {
  const provider = new SynchronizerProvider()
  const limit = (max) => provider.forKey('key', max).stats.maxConcurrentExecution
  t.is(limit(2), 2)
  t.true(await gcUntil(() => provider.numberOfKeys === 0))
  t.is(limit(5), 5)
})

const distinctKeys = [
  '',
  ' ',
  '\0',
  'a',
  'A',
  'a\0b',
  'a\0',
  'ab',
  '\ud800',
  '\ud801',
  '\udc00',
  '\ud800\udc00',
  '\ufffd',
  '\udc00\ud800',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'undefined',
  'null',
  '0',
  '00',
  '1',
  'é',
  'e\u0301',
  'x'.repeat(1_000_000),
  'x'.repeat(999_999) + 'y',
  '\u{1f512}',
  'id:1 key:a',
]

test('keys are compared code unit by code unit', async (t) => {
  const provider = new SynchronizerProvider()
  const locks = distinctKeys.map((key) => provider.forKey(key))
  t.is(new Set(locks).size, distinctKeys.length)
  t.is(provider.numberOfKeys, distinctKeys.length)
  const holders = await settlesWithin(Promise.all(locks.map((lock) => hold(lock))))
  for (const [i, key] of distinctKeys.entries()) {
    t.is(provider.forKey(key), locks[i])
    await t.throwsAsync(
      provider
        .forKey(key)
        .throttle()
        .synchronized(async () => {}),
      { code: 'Throttle' },
    )
  }
  await Promise.all(holders.map((holder) => holder.release()))
  for (const lock of locks) await assertFree(t, lock)
})

test('a key that is no string never becomes the lock of a string', async (t) => {
  const provider = new SynchronizerProvider()
  const values = [
    [1, '1'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
    [{}, '[object Object]'],
    [['a'], 'a'],
  ]
  for (const [value, text] of values) {
    const string = provider.forKey(text)
    const result = await outcome(() => provider.forKey(value))
    t.true(result.status === 'rejected' || result.value !== string, `${typeof value} ${text}`)
  }
})

test('numberOfKeys tells how many keys live', async (t) => {
  const provider = new SynchronizerProvider()
  t.is(provider.numberOfKeys, 0)
  const [a, b] = [provider.forKey('a'), provider.forKey('b')]
  provider.forKey('a')
  t.is(provider.numberOfKeys, 2)
  await gc()
  t.is(provider.numberOfKeys, 2)
  t.not(a, b)
})

test('a key used once leaves nothing behind', async (t) => {
  const provider = new SynchronizerProvider()
  const count = 20_000
  for (let i = 0; i < count; i++) await provider.forKey(`key ${i}`).synchronized(async () => {})
  t.true(await gcUntil(() => provider.numberOfKeys === 0), `${provider.numberOfKeys} keys left`)
})

test('a key that failed, timed out, was throttled, canceled or aborted leaves nothing behind', async (t) => {
  const provider = new SynchronizerProvider()
  const useOnce = async (key) => {
    const holder = await hold(provider.forKey(key))
    const abort = new AbortController()
    const ends = Promise.allSettled([
      provider
        .forKey(key)
        .timeout(1)
        .synchronized(async () => {}),
      provider
        .forKey(key)
        .throttle()
        .synchronized(async () => {}),
      provider.forKey(key).synchronized({ cb: async () => {}, isCanceled: () => true }),
      provider.forKey(key).synchronized({ cb: async () => {}, signal: abort.signal }),
      provider.forKey(key).acquire({ timeout: 1 }),
      provider.forKey(key).synchronized(async () => {
        throw new Error('boom')
      }),
    ])
    await turn()
    abort.abort()
    await turn()
    await holder.release()
    t.deepEqual(
      (await ends).map((end) => end.status),
      Array(6).fill('rejected'),
    )
  }
  await Promise.all(Array.from({ length: 20 }, (_, i) => useOnce(`key ${i}`)))
  t.true(await gcUntil(() => provider.numberOfKeys === 0))
})

// An entry must not go while somebody holds or waits, although no variable refers to its synchronizer any more.
const busyWays = {
  'a callback runs': (provider, gate) => provider.forKey('key', 3).synchronized(() => gate.promise),
  'a callback runs under a timeout': (provider, gate) =>
    provider
      .forKey('key', 3)
      .timeout(60_000)
      .synchronized(() => gate.promise),
  'a callback runs under throttle': (provider, gate) =>
    provider
      .forKey('key', 3)
      .throttle()
      .synchronized(() => gate.promise),
  'a guard is held': async (provider, gate) => {
    const guard = await provider.forKey('key', 3).acquire()
    await gate.promise
    guard.release()
  },
}

for (const [what, start] of Object.entries(busyWays)) {
  test(`an entry stays while ${what}, without a reference to it`, async (t) => {
    const provider = new SynchronizerProvider()
    const gate = deferred()
    const run = start(provider, gate)
    await turn()
    const weak = (() => new WeakRef(provider.forKey('key')))()
    for (let i = 0; i < 5; i++) await gc()
    t.is(provider.numberOfKeys, 1)
    const found = provider.forKey('key', 9)
    t.is(found, weak.deref(), 'still the same object')
    t.is(found.stats.maxConcurrentExecution, 3)
    t.deepEqual(counts(found), { tasks: 1, running: 1 })
    gate.resolve()
    await run
    await assertFree(t, found, 3)
  })

  test(`an entry goes once ${what} no longer`, async (t) => {
    const provider = new SynchronizerProvider()
    const gate = deferred()
    const run = start(provider, gate)
    await turn()
    gate.resolve()
    await run
    t.true(await gcUntil(() => provider.numberOfKeys === 0))
  })
}

for (const [what, take] of Object.entries({
  'a callback that can never end': async (provider) => {
    provider.forKey('key', 3).synchronized(() => new Promise(() => {}))
  },
  'a guard that was forgotten': async (provider) => {
    await provider.forKey('key', 3).acquire()
  },
})) {
  test(`an entry stays while ${what} holds a permit of it`, async (t) => {
    const provider = new SynchronizerProvider()
    await take(provider)
    await turn()
    for (let i = 0; i < 10; i++) await gc()
    t.is(provider.numberOfKeys, 1)
    const found = provider.forKey('key', 9)
    t.deepEqual({ ...found.stats }, { maxConcurrentExecution: 3, numberOfTasks: 1, numberOfRunningTasks: 1 })
    const holder = await hold(found, 2)
    await t.throwsAsync(
      found.throttle().synchronized(async () => t.fail()),
      { code: 'Throttle' },
    )
    await holder.release()
  })
}

test('an entry stays while a waiter stands in its queue, and the waiter is served', async (t) => {
  const provider = new SynchronizerProvider()
  const gate = deferred()
  const order = []
  const runs = [0, 1, 2].map((i) =>
    provider.forKey('key').synchronized(async () => {
      await gate.promise
      order.push(i)
    }),
  )
  for (let i = 0; i < 5; i++) await gc()
  runs.push(
    provider.forKey('key').synchronized(async () => {
      order.push(3)
    }),
  )
  t.deepEqual(counts(provider.forKey('key')), { tasks: 4, running: 1 })
  gate.resolve()
  await settlesWithin(Promise.all(runs))
  t.deepEqual(order, [0, 1, 2, 3])
})

test('a view keeps the entry', async (t) => {
  const provider = new SynchronizerProvider()
  const views = (() => [provider.forKey('key', 4).timeout(10), provider.forKey('other', 4).throttle()])()
  for (let i = 0; i < 5; i++) await gc()
  t.is(provider.numberOfKeys, 2)
  t.is(provider.forKey('key', 9).stats.maxConcurrentExecution, 4)
  t.is(provider.forKey('other', 9).stats.maxConcurrentExecution, 4)
  t.is(await views[0].synchronized(async () => 'entered'), 'entered')
  t.is(await views[1].synchronized(async () => 'entered'), 'entered')
})

test('a key taken up again between its collection and its removal starts afresh and whole', async (t) => {
  const provider = new SynchronizerProvider()
  // A function of its own: the frame of the test would keep the last one.
  const takeUp = async (round) => {
    await provider.forKey('key', (round % 4) + 1).synchronized(async () => {})
    if (round % 3 === 0) await gc()
    const again = provider.forKey('key', 7)
    await assertFree(t, again, again.stats.maxConcurrentExecution)
    t.is(provider.forKey('key'), again)
    t.is(provider.numberOfKeys, 1)
  }
  for (let round = 0; round < 30; round++) await takeUp(round)
  t.true(await gcUntil(() => provider.numberOfKeys === 0))
})

test('forObject keeps neither its object nor its synchronizer alive', async (t) => {
  const provider = new SynchronizerProvider()
  const weak = await (async () => {
    const object = {}
    const synchronizer = provider.forObject(object)
    await synchronizer.synchronized(async () => {})
    return { object: new WeakRef(object), synchronizer: new WeakRef(synchronizer) }
  })()
  t.true(await gcUntil(() => weak.object.deref() === undefined && weak.synchronizer.deref() === undefined))
})

test('forObject stays the same lock while it is busy, without a reference to the synchronizer', async (t) => {
  const provider = new SynchronizerProvider()
  const object = {}
  const gate = deferred()
  const run = (() => provider.forObject(object, 2).synchronized(() => gate.promise))()
  await turn()
  for (let i = 0; i < 5; i++) await gc()
  t.deepEqual(counts(provider.forObject(object, 5)), { tasks: 1, running: 1 })
  t.is(provider.forObject(object).stats.maxConcurrentExecution, 2)
  gate.resolve()
  await run
})

test('a provider can go while its locks are in use', async (t) => {
  const gate = deferred()
  const { runs, weak } = (() => {
    const provider = new SynchronizerProvider()
    const lock = () => provider.forKey('key')
    return {
      runs: [lock().synchronized(() => gate.promise), lock().synchronized(async () => 'waited')],
      weak: new WeakRef(provider),
    }
  })()
  for (let i = 0; i < 5; i++) await gc()
  gate.resolve('ran')
  t.deepEqual(await settlesWithin(Promise.all(runs)), ['ran', 'waited'])
  t.true(await gcUntil(() => weak.deref() === undefined))
})

test('entries that were collected go while the program is idle', async (t) => {
  const provider = new SynchronizerProvider()
  const count = 60_000
  ;(() => {
    for (let i = 0; i < count; i++) provider.forKey(`key ${i}`)
  })()
  // As soon as some are known to be collected, nothing is done any more that would wake the event loop.
  t.true(await gcUntil(() => provider.numberOfKeys < count))
  await gc()
  await sleep(1000)
  t.true(provider.numberOfKeys < count / 10, `${provider.numberOfKeys} are left`)
})
