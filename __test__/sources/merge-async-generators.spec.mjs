// mergeAsyncGenerators: all values of all sources as they come, and every source closed exactly once.
import test from 'ava'
import { mergeAsyncGenerators } from '../../index.mjs'
import { deferred, outcome, settlesBefore, settlesWithin, sleep, turn, turns, unstalled } from '../helpers/async.mjs'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'
import { counted, failingAfter, recordedSource, silentAfter } from '../helpers/sources.mjs'

async function collect(iterable) {
  const values = []
  for await (const value of iterable) values.push(value)
  return values
}

async function* letters(name, count, pause = () => turn()) {
  for (let i = 0; i < count; i++) {
    await pause()
    yield `${name}${i}`
  }
}

test('it yields all values of all sources, each source in its own order', async (t) => {
  const values = await collect(
    mergeAsyncGenerators([letters('a', 20), letters('b', 5), letters('c', 0), letters('d', 50)]),
  )
  t.is(values.length, 75)
  for (const [name, count] of [
    ['a', 20],
    ['b', 5],
    ['d', 50],
  ]) {
    t.deepEqual(
      values.filter((value) => value[0] === name),
      Array.from({ length: count }, (_, i) => `${name}${i}`),
    )
  }
})

test('no source at all ends at once', async (t) => {
  t.deepEqual(await collect(mergeAsyncGenerators([])), [])
})

test('values come as they are ready, a slow source holds nobody up', async (t) => {
  const gate = deferred()
  const slow = letters('slow', 1, () => gate.promise)
  const merged = mergeAsyncGenerators([slow, letters('quick', 3)])
  for (let i = 0; i < 3; i++) t.deepEqual(await settlesWithin(merged.next()), { done: false, value: `quick${i}` })
  gate.resolve()
  t.deepEqual(await merged.next(), { done: false, value: 'slow0' })
  t.deepEqual(await merged.next(), { done: true, value: undefined })
})

test('a source that is always ready does not starve another', async (t) => {
  const always = async function* (name) {
    for (;;) yield name
  }
  const seen = { a: 0, b: 0, c: 0 }
  for await (const name of mergeAsyncGenerators([always('a'), always('b'), always('c')])) {
    if (++seen[name] && seen.a + seen.b + seen.c === 300) break
  }
  for (const count of Object.values(seen)) t.true(count >= 30, JSON.stringify(seen))
})

test('undefined and other falsy values are values', async (t) => {
  const falsy = [undefined, null, 0, '', false]
  const source = async function* () {
    yield* falsy
  }
  t.deepEqual(await collect(mergeAsyncGenerators([source()])), falsy)
})

test('it is an async generator', async (t) => {
  const merged = mergeAsyncGenerators([letters('a', 1)])
  t.is(merged[Symbol.asyncIterator](), merged)
  for (const method of ['next', 'return', 'throw']) t.is(typeof merged[method], 'function')
  t.deepEqual(await collect(merged), ['a0'])
  t.deepEqual(await merged.next(), { done: true, value: undefined })
  t.deepEqual(await merged.return('late'), { done: true, value: 'late' })
})

test('several next() calls outstanding are answered in order, and no value is lost', async (t) => {
  const merged = mergeAsyncGenerators([letters('a', 5)])
  const results = await settlesWithin(Promise.all(Array.from({ length: 7 }, () => merged.next())))
  t.deepEqual(
    results.map(({ value }) => value),
    ['a0', 'a1', 'a2', 'a3', 'a4', undefined, undefined],
  )
  t.deepEqual(
    results.map(({ done }) => done),
    [false, false, false, false, false, true, true],
  )
})

test('each source has at most one next() outstanding', async (t) => {
  const sources = [counted(20), counted(30)]
  const merged = mergeAsyncGenerators(sources)
  await Promise.all(Array.from({ length: 60 }, () => merged.next()))
  t.deepEqual(
    sources.map((source) => source.peakOutstanding),
    [1, 1],
  )
})

for (const [how, end] of Object.entries({
  break: async (merged) => {
    for await (const _ of merged) break
  },
  'an error of the consumer': async (merged) => {
    await outcome(async () => {
      for await (const _ of merged) throw new Error('consumer')
    })
  },
  'return()': async (merged) => {
    await merged.next()
    await merged.return()
  },
  'return() before the first next()': (merged) => merged.return(),
  'throw()': async (merged) => {
    await merged.next()
    await outcome(() => merged.throw(new Error('consumer')))
  },
})) {
  test(`on ${how} every source is closed exactly once`, async (t) => {
    const sources = [counted(1000), counted(1000), silentAfter([]), silentAfter(['value'])]
    const merged = mergeAsyncGenerators(sources)
    await settlesWithin(end(merged))
    t.deepEqual(
      sources.map((source) => source.returnCalls),
      [1, 1, 1, 1],
    )
    t.deepEqual(await merged.next(), { done: true, value: undefined })
    await merged.return()
    await turns(5)
    t.deepEqual(
      sources.map((source) => source.returnCalls),
      [1, 1, 1, 1],
    )
  })
}

test('when a source fails the others are closed exactly once', async (t) => {
  const reason = new Error('boom')
  const others = [counted(1000), silentAfter([])]
  const merged = mergeAsyncGenerators([others[0], failingAfter(['value'], reason), others[1]])
  t.deepEqual(await settlesWithin(outcome(() => collect(merged))), { status: 'rejected', reason })
  t.deepEqual(
    others.map((source) => source.returnCalls),
    [1, 1],
  )
  t.deepEqual(await merged.next(), { done: true, value: undefined })
})

test('the loop ends only after the finally blocks of the sources have run', async (t) => {
  await unstalled(
    async () => {
      const log = []
      const source = async function* (name) {
        try {
          for (;;) {
            yield name
            await turn()
          }
        } finally {
          await sleep(5)
          log.push(`${name} closed`)
        }
      }
      for await (const value of mergeAsyncGenerators([source('a'), source('b')])) {
        if (value === 'b') break
      }
      return log.sort()
    },
    (log) => t.deepEqual(log, ['a closed', 'b closed']),
  )
})

test('all sources are asked to close at once, not one after the other', async (t) => {
  let asked = 0
  const gate = deferred()
  const onReturn = async () => {
    asked++
    await gate.promise
    return { done: true, value: undefined }
  }
  const merged = mergeAsyncGenerators([
    counted(1000, undefined, onReturn),
    silentAfter([], onReturn),
    counted(1000, undefined, onReturn),
  ])
  await merged.next()
  const end = merged.return()
  await null
  t.is(asked, 3)
  gate.resolve()
  await settlesWithin(end)
})

test('return() while next() waits for silent sources settles both promptly', async (t) => {
  for (const others of [[], [counted(1)]]) {
    const silent = silentAfter([])
    const merged = mergeAsyncGenerators([silent, ...others])
    for (const _ of others) await merged.next()
    const next = merged.next()
    await turn()
    const end = merged.return()
    t.true(await settlesBefore(Promise.all([end, next]), 1000))
    t.deepEqual(await end, { done: true, value: undefined })
    t.deepEqual(await next, { done: true, value: undefined })
    t.is(silent.returnCalls, 1)
  }
})

test('a generator that hangs in an await is waited for 100 ms at most', async (t) => {
  const never = async function* () {
    yield await deferred().promise
  }
  const merged = mergeAsyncGenerators([never(), letters('a', 100)])
  await merged.next()
  t.true(await settlesBefore(merged.return(), 1000))
})

test('closing waits for a source that needs less than that', async (t) => {
  await unstalled(
    async () => {
      let closed = false
      const never = async function* () {
        yield await deferred().promise
      }
      const slow = counted(1000, undefined, async () => {
        await sleep(30)
        closed = true
        return { done: true, value: undefined }
      })
      for await (const _ of mergeAsyncGenerators([slow, never()])) break
      return closed
    },
    (closed) => t.true(closed),
  )
})

for (const reason of [undefined, null, 0, '', false, new Error('boom')]) {
  test(`a source that throws ${reason === '' ? "''" : String(reason)} fails the merged iterator with it`, async (t) => {
    const source = async function* () {
      yield 'value'
      throw reason
    }
    const merged = mergeAsyncGenerators([source(), silentAfter([])])
    t.deepEqual(await merged.next(), { done: false, value: 'value' })
    t.deepEqual(await settlesWithin(outcome(() => merged.next())), { status: 'rejected', reason })
    t.deepEqual(await merged.next(), { done: true, value: undefined })
  })
}

test('what sources do after the consumer broke out is no unhandled rejection', async (t) => {
  const run = await runFixture('merge-late-rejections.mjs')
  assertCleanEnd(t, run)
})

test('a next() that throws at once is an error like any other', async (t) => {
  const reason = new Error('boom')
  const source = counted(1)
  source.next = () => {
    throw reason
  }
  const other = counted(1000)
  t.deepEqual(await settlesWithin(outcome(() => collect(mergeAsyncGenerators([source, other])))), {
    status: 'rejected',
    reason,
  })
  t.is(other.returnCalls, 1)
})

for (const [what, answer] of Object.entries({
  undefined,
  null: null,
  'a number': 5,
  'an object whose done throws': {
    get done() {
      throw new Error('done broke')
    },
  },
  'an object whose value throws': {
    done: false,
    get value() {
      throw new Error('value broke')
    },
  },
})) {
  test(`a source that answers next() with ${what} fails the merged iterator, and the others are closed`, async (t) => {
    const other = silentAfter(['value'])
    const merged = mergeAsyncGenerators([other, recordedSource(async () => answer)])
    const { status, reason } = await settlesWithin(outcome(() => collect(merged)))
    t.is(status, 'rejected')
    t.true(reason instanceof Error)
    t.is(other.returnCalls, 1)
  })
}

test('a source without return() can be merged and broken out of', async (t) => {
  const bare = () => {
    let i = 0
    return {
      next: async () => ({ done: false, value: i++ }),
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }
  for await (const value of mergeAsyncGenerators([bare(), bare()])) if (value === 3) break
  t.pass()
})

test('merged generators can be merged, and closing goes all the way down', async (t) => {
  const sources = [counted(1000), counted(1000), counted(1000)]
  const merged = mergeAsyncGenerators([
    mergeAsyncGenerators(sources.slice(0, 2)),
    mergeAsyncGenerators(sources.slice(2)),
  ])
  let seen = 0
  for await (const _ of merged) if (++seen === 10) break
  t.deepEqual(
    sources.map((source) => source.returnCalls),
    [1, 1, 1],
  )
})

test('what is no async generator is refused', async (t) => {
  for (const source of [undefined, null, 5, {}]) {
    const { status, reason } = await settlesWithin(outcome(() => collect(mergeAsyncGenerators([source]))))
    t.is(status, 'rejected')
    t.true(reason instanceof Error)
  }
})

test('memory stays flat beside a silent source', async (t) => {
  const run = await runFixture('merge-memory.mjs', { nodeArgs: ['--expose-gc'], args: [20_000] })
  assertCleanEnd(t, run)
  t.true(run.result.growth < 20e6, `the heap grew by ${run.result.growth} bytes`)
})

test('values are pulled only as the consumer asks', async (t) => {
  const source = recordedSource(async (call) => ({ done: false, value: call }))
  const merged = mergeAsyncGenerators([source])
  await merged.next()
  await turns(20)
  t.true(source.nextCalls <= 2, `${source.nextCalls} values were pulled for one`)
  await merged.return()
})

test('of several sources that fail while nobody waits, the first failure is told', async (t) => {
  const gates = [deferred(), deferred()]
  const sources = gates.map(async function* ({ promise }) {
    yield await promise
  })
  const merged = mergeAsyncGenerators([
    (async function* () {
      yield 'value'
    })(),
    ...sources,
  ])
  t.deepEqual(await merged.next(), { done: false, value: 'value' })
  const [first, second] = [new Error('first'), new Error('second')]
  gates[1].reject(first)
  await turn()
  gates[0].reject(second)
  await turn()
  t.is((await outcome(() => merged.next())).reason, first)
  t.deepEqual(await merged.next(), { done: true, value: undefined })
})
