// LazyInitializer: one factory call for all who wait, and what counts as a value.
import test from 'ava'
import { LazyInitializer, SynchronizerInvalidError } from '../../index.mjs'
import { deferred, outcome, settlesWithin, turn } from '../helpers/async.mjs'

test('the factory runs at the first get() and never again', async (t) => {
  let calls = 0
  const value = {}
  const lazy = new LazyInitializer(async () => {
    calls++
    return value
  })
  await turn()
  t.is(calls, 0)
  t.is(await lazy.get(), value)
  t.is(await lazy.get(), value)
  t.is(calls, 1)
})

test('all who wait share one factory call', async (t) => {
  const gate = deferred()
  let calls = 0
  const lazy = new LazyInitializer(() => {
    calls++
    return gate.promise
  })
  const early = Array.from({ length: 50 }, () => lazy.get())
  await turn()
  const late = Array.from({ length: 50 }, () => lazy.get())
  const value = {}
  gate.resolve(value)
  for (const got of await settlesWithin(Promise.all([...early, ...late]))) t.is(got, value)
  t.is(calls, 1)
})

test('factory and eager can be read', (t) => {
  const factory = async () => 1
  t.is(new LazyInitializer(factory).factory, factory)
  t.is(new LazyInitializer(factory, true).eager, true)
  t.falsy(new LazyInitializer(factory).eager)
})

test('eager starts the factory without a get()', async (t) => {
  let calls = 0
  const lazy = new LazyInitializer(async () => {
    calls++
    return 'value'
  }, true)
  await turn()
  t.is(calls, 1)
  t.is(await lazy.get(), 'value')
  t.is(calls, 1)
})

test('an eager failure is no unhandled rejection, and is not kept', async (t) => {
  for (const fail of [
    async () => {
      throw new Error('boom')
    },
    () => {
      throw new Error('boom')
    },
  ]) {
    let calls = 0
    const lazy = new LazyInitializer(() => (++calls === 1 ? fail() : Promise.resolve('value')), true)
    await turn()
    await turn()
    t.is(calls, 1)
    t.is(await lazy.get(), 'value')
    t.is(calls, 2)
  }
})

for (const [name, fail] of [
  [
    'rejects',
    async (reason) => {
      throw reason
    },
  ],
  [
    'throws',
    (reason) => {
      throw reason
    },
  ],
]) {
  for (const reason of [new Error('boom'), undefined, null, 0]) {
    test(`a factory that ${name} (${String(reason)}) rejects get() with its reason, and the failure is not kept`, async (t) => {
      let calls = 0
      const lazy = new LazyInitializer(() => (++calls === 1 ? fail(reason) : Promise.resolve('value')))
      t.deepEqual(await outcome(() => lazy.get()), { status: 'rejected', reason })
      t.is(await settlesWithin(lazy.get()), 'value')
      t.is(await lazy.get(), 'value')
      t.is(calls, 2)
    })
  }
}

test('all who wait for a failing factory share its one call', async (t) => {
  let calls = 0
  const reason = new Error('boom')
  const lazy = new LazyInitializer(async () => {
    calls++
    await turn()
    throw reason
  })
  const results = await settlesWithin(Promise.all([1, 2, 3].map(() => outcome(() => lazy.get()))))
  t.deepEqual(results, Array(3).fill({ status: 'rejected', reason }))
  t.is(calls, 1)
})

test('undefined from the factory rejects with Invalid, and is not kept', async (t) => {
  let calls = 0
  const lazy = new LazyInitializer(async () => (++calls === 1 ? undefined : 'value'))
  const error = await t.throwsAsync(lazy.get(), { instanceOf: SynchronizerInvalidError })
  t.is(error.code, 'Invalid')
  t.is(await lazy.get(), 'value')
})

for (const value of [null, 0, '', false, NaN]) {
  test(`${value === '' ? "''" : value} is a value`, async (t) => {
    let calls = 0
    const lazy = new LazyInitializer(async () => {
      calls++
      return value
    })
    t.is(await lazy.get(), value)
    t.is(await lazy.get(), value)
    t.is(calls, 1)
  })
}

test('a factory may return a plain value or a bare thenable', async (t) => {
  t.is(await new LazyInitializer(() => 'plain').get(), 'plain')
  t.is(
    await settlesWithin(new LazyInitializer(() => ({ then: (resolve) => setImmediate(resolve, 'late') })).get()),
    'late',
  )
})

test('initializers may use each other in one direction', async (t) => {
  const config = new LazyInitializer(async () => ({ size: 3 }))
  const pool = new LazyInitializer(async () => Array((await config.get()).size).fill('connection'))
  t.is((await settlesWithin(pool.get())).length, 3)
})
