// mapAll: order, its limit, failures, aborts, and what it refuses.
import test from 'ava'
import { SynchronizerInvalidError, SynchronizerProvider } from '../../index.mjs'
import { deferred, isPending, outcome, turns } from '../helpers/async.mjs'
import { counted } from '../helpers/sources.mjs'

const sp = new SynchronizerProvider()

test('mapAll gives an array in the order of the input', async (t) => {
  const mapper = async (value, index) => {
    await turns(5 - index)
    return [value, index]
  }
  const expected = [
    ['a', 0],
    ['b', 1],
    ['c', 2],
  ]
  t.deepEqual(await sp.mapAll(['a', 'b', 'c'], mapper), expected)
  t.deepEqual(await sp.mapAll(new Set(['a', 'b', 'c']), mapper, { maxTasksInExecution: 2 }), expected)
  t.deepEqual(
    await sp.mapAll(
      counted(3, (n) => 'abc'[n]),
      mapper,
      { maxTasksInExecution: 1 },
    ),
    expected,
  )
  t.deepEqual(await sp.mapAll(['a', Promise.resolve('b'), 'c'], mapper), expected)
  t.deepEqual(await sp.mapAll([], mapper), [])
})

test('mapAll keeps to its limit and pulls no more than that', async (t) => {
  const source = counted(40)
  let running = 0
  let peak = 0
  const results = await sp.mapAll(
    source,
    async (value) => {
      peak = Math.max(peak, ++running)
      t.true(source.nextCalls - value <= 4)
      await turns(1)
      running--
      return value
    },
    { maxTasksInExecution: 4 },
  )
  t.is(peak, 4)
  t.is(results.length, 40)
})

test('mapAll stops at the first failure and rejects with it when running mappers have settled', async (t) => {
  const gate = deferred()
  const error = new Error('second')
  const started = []
  const all = sp.mapAll(
    [0, 1, 2, 3],
    async (value) => {
      started.push(value)
      if (value === 1) throw error
      await gate.promise
    },
    { maxTasksInExecution: 2 },
  )
  t.true(await isPending(all))
  gate.resolve()
  t.is((await outcome(() => all)).reason, error)
  t.deepEqual(started, [0, 1])
})

test('mapAll: an abort rejects with its reason; a promise that rejects in the input does too', async (t) => {
  t.is((await outcome(() => sp.mapAll([1], async () => {}, { signal: AbortSignal.abort('no') }))).reason, 'no')
  const error = new Error('input')
  t.is((await outcome(() => sp.mapAll([1, Promise.reject(error)], async () => {}))).reason, error)
})

test('mapAll refuses wrong arguments', async (t) => {
  await t.throwsAsync(sp.mapAll([1], 1), { instanceOf: SynchronizerInvalidError, message: /mapper/ })
  await t.throwsAsync(
    sp.mapAll(1, async () => {}),
    { instanceOf: SynchronizerInvalidError, message: /iterable/ },
  )
  await t.throwsAsync(
    sp.mapAll([1], async () => {}, { maxTasksInExecution: 0 }),
    { instanceOf: SynchronizerInvalidError, message: /maxTasksInExecution/ },
  )
})

test('mapAll: promises in an array that reject before their turn, or after the end, are no unhandled rejections', async (t) => {
  const [first, second] = [new Error('first'), new Error('second')]
  const slow = deferred()
  const all = sp.mapAll([slow.promise, Promise.reject(first), Promise.reject(second)], async (value) => value)
  await turns(3)
  slow.resolve()
  t.is((await outcome(() => all)).reason, first)
  const mapper = new Error('mapper')
  t.is(
    (
      await outcome(() =>
        sp.mapAll(
          [1, Promise.reject(second)],
          async () => {
            throw mapper
          },
          { maxTasksInExecution: 1 },
        ),
      )
    ).reason,
    mapper,
  )
  await turns(3)
})

test('mapAll refuses options that are no object', async (t) => {
  await t.throwsAsync(
    sp.mapAll([1], async () => {}, 16),
    { instanceOf: SynchronizerInvalidError, message: /options.*16/ },
  )
  t.deepEqual(await sp.mapAll([1], async (value) => value, null), [1])
})
