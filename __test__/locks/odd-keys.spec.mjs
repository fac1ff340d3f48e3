// Keys that are no strings: TypeScript refuses them, but programs in JavaScript have them, and ya-syn takes them.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { deferred, settlesWithin, turn } from '../helpers/async.mjs'
import { gc, gcUntil } from '../helpers/gc.mjs'
import { assertFree, hold } from '../helpers/locks.mjs'

const object = { toString: () => '1' }
const list = [1]
const call = () => {}
const keys = [
  1,
  '1',
  1n,
  true,
  'true',
  false,
  'false',
  0,
  '0',
  NaN,
  'NaN',
  Infinity,
  1.5,
  '1.5',
  'number 1',
  'bigint 1',
  'boolean true',
  object,
  list,
  call,
]

test('1, true and other keys that are no strings are locks of their own, as for a Map', async (t) => {
  const provider = new SynchronizerProvider()
  const locks = keys.map((key) => provider.forKey(key))
  t.is(new Set(locks).size, keys.length)
  const holders = []
  for (const [i, lock] of locks.entries()) {
    t.is(provider.forKey(keys[i]), lock)
    holders.push(await settlesWithin(hold(lock)))
  }
  await Promise.all(holders.map((holder) => holder.release()))
  for (const lock of locks) await assertFree(t, lock)
  t.is(provider.forKey(-0), provider.forKey(0))
  t.is(locks[0].synchronizerId, 'id:0 key:1')
  t.is(provider.forKey(object).synchronizerId, `id:${keys.indexOf(object)} key:1`)
})

test('the first limit of a key that is no string wins, and a bad one is refused', (t) => {
  const provider = new SynchronizerProvider()
  t.throws(() => provider.forKey(1, 0), { code: 'Invalid' })
  t.throws(() => provider.forKey(list, -1), { code: 'Invalid' })
  t.is(provider.forKey(1, 3).stats.maxConcurrentExecution, 3)
  t.is(provider.forKey(1, 5).stats.maxConcurrentExecution, 3)
})

test('a busy key that is no string stays one lock while nobody refers to it', async (t) => {
  const provider = new SynchronizerProvider()
  await (async () => {
    const gate = deferred()
    const inside = provider.forKey(1).synchronized(() => gate.promise)
    await turn()
    for (let i = 0; i < 5; i++) await gc()
    t.is(provider.numberOfKeys, 1)
    await t.throwsAsync(
      provider
        .forKey(1)
        .throttle()
        .synchronized(async () => {}),
      { code: 'Throttle' },
    )
    gate.resolve()
    await inside
  })()
  t.true(await gcUntil(() => provider.numberOfKeys === 0))
  await assertFree(t, provider.forKey(1))
})

test('undefined, null and symbols are refused by name', (t) => {
  const provider = new SynchronizerProvider()
  for (const key of [undefined, null, Symbol('key')]) {
    const error = t.throws(() => provider.forKey(key), { code: 'Invalid' })
    t.true(error.message.includes(`key must be a string, but is ${String(key)}`), error.message)
  }
})

test('threads share keys that are strings, and nothing else', (t) => {
  const provider = new SynchronizerProvider({ providerId: 'odd keys', scope: 'process' })
  for (const key of [1, true, 1n, {}, undefined, null]) t.throws(() => provider.forKey(key), { code: 'Invalid' })
})
