// CoreSemaphore: permits, counters, and that any kind of callback frees its permit.
import test from 'ava'
import { CoreSemaphore } from '../../index.mjs'
import { deferred, outcome, settlesWithin, turn, waitUntil } from '../helpers/async.mjs'
import { assertFree, counts, hold } from '../helpers/locks.mjs'

test('concurrentExecution tells the limit', (t) => {
  t.is(new CoreSemaphore(7).concurrentExecution, 7)
})

test('a callback starts inside the call when a permit is free', async (t) => {
  const semaphore = new CoreSemaphore(2)
  const gate = deferred()
  let started = 0
  const run = () =>
    semaphore.synchronized(() => {
      started++
      return gate.promise
    })
  const first = run()
  t.is(started, 1)
  const second = run()
  t.is(started, 2)
  const third = run()
  t.is(started, 2, 'no permit is free for the third')
  gate.resolve()
  await Promise.all([first, second, third])
  t.is(started, 3)
})

test('all permits are used, and never more', async (t) => {
  const limit = 4
  const semaphore = new CoreSemaphore(limit)
  let running = 0
  let peak = 0
  await Promise.all(
    Array.from({ length: 200 }, () =>
      semaphore.synchronized(async () => {
        peak = Math.max(peak, ++running)
        await turn()
        running--
      }),
    ),
  )
  t.is(peak, limit)
})

test('the call resolves with what the callback resolved with', async (t) => {
  const semaphore = new CoreSemaphore(1)
  const value = {}
  t.is(await semaphore.synchronized(async () => value), value)
  const holder = await hold(semaphore)
  const queued = semaphore.synchronized(async () => value)
  await holder.release()
  t.is(await queued, value, 'also for one that had to wait')
})

for (const queued of [false, true]) {
  const when = queued ? 'a waiting callback' : 'a callback that starts at once'

  for (const reason of [new Error('boom'), undefined, null, 0, '', false]) {
    const name = reason instanceof Error ? 'an Error' : (JSON.stringify(reason) ?? 'undefined')

    test(`${when} that rejects with ${name} rejects the call with it and frees the permit`, async (t) => {
      t.deepEqual(await runOne(t, queued, () => Promise.reject(reason)), { status: 'rejected', reason })
    })

    test(`${when} that throws ${name} before returning a promise settles like an async one`, async (t) => {
      t.deepEqual(
        await runOne(t, queued, () => {
          throw reason
        }),
        { status: 'rejected', reason },
      )
    })
  }

  for (const value of [undefined, null, 0, 'text', {}, () => {}]) {
    test(`${when} that returns the plain value ${typeof value} ${String(value)} settles like an async one`, async (t) => {
      const result = await runOne(t, queued, () => value)
      t.is(result.status, 'fulfilled')
      t.is(result.value, value)
    })
  }

  test(`${when} that returns a bare thenable settles like an async one`, async (t) => {
    const later = {
      then: (resolve) => {
        setImmediate(resolve, 'late')
      },
    }
    t.deepEqual(await runOne(t, queued, () => later), { status: 'fulfilled', value: 'late' })
  })

  test(`${when} that returns a thenable which rejects, throws or has a throwing getter rejects`, async (t) => {
    const reason = new Error('boom')
    const thenables = [
      {
        then: (_, reject) => {
          setImmediate(reject, reason)
        },
      },
      {
        then: () => {
          throw reason
        },
      },
      {
        get then() {
          throw reason
        },
      },
    ]
    for (const thenable of thenables) {
      t.deepEqual(await runOne(t, queued, () => thenable), { status: 'rejected', reason })
    }
  })
}

async function runOne(t, queued, callback) {
  const semaphore = new CoreSemaphore(1)
  const holder = queued ? await hold(semaphore) : undefined
  const settled = outcome(() => semaphore.synchronized(callback))
  await holder?.release()
  const result = await settlesWithin(settled)
  await assertFree(t, semaphore)
  return result
}

test('the permit stays taken until a bare thenable settles', async (t) => {
  const semaphore = new CoreSemaphore(1)
  let settle
  const first = semaphore.synchronized(() => ({
    then: (resolve) => {
      settle = resolve
    },
  }))
  let entered = false
  const second = semaphore.synchronized(async () => {
    entered = true
  })
  await turn()
  t.false(entered)
  settle()
  await Promise.all([first, second])
  t.true(entered)
})

test('a callback that is no function is refused and costs no permit', async (t) => {
  for (const callback of [undefined, null, 1, 'text', {}]) {
    const semaphore = new CoreSemaphore(1)
    const result = await outcome(() => semaphore.synchronized(callback))
    t.is(result.status, 'rejected')
    t.true(result.reason instanceof Error)
    await assertFree(t, semaphore)
  }
})

test('numberOfTasks counts waiting and running, numberOfRunningTasks the running', async (t) => {
  const semaphore = new CoreSemaphore(2)
  t.deepEqual(counts(semaphore), { tasks: 0, running: 0 })
  const gates = [deferred(), deferred(), deferred()]
  const runs = gates.map((gate) => semaphore.synchronized(() => gate.promise))
  t.deepEqual(counts(semaphore), { tasks: 3, running: 2 })
  gates[0].resolve()
  await runs[0]
  t.deepEqual(counts(semaphore), { tasks: 2, running: 2 })
  gates[1].resolve()
  await runs[1]
  t.deepEqual(counts(semaphore), { tasks: 1, running: 1 })
  gates[2].resolve()
  await runs[2]
  t.deepEqual(counts(semaphore), { tasks: 0, running: 0 })
})

test('a failed call leaves the queue moving', async (t) => {
  const semaphore = new CoreSemaphore(1)
  const order = []
  const results = await Promise.allSettled(
    [0, 1, 2, 3].map((i) =>
      semaphore.synchronized(async () => {
        order.push(i)
        if (i % 2 === 0) throw i
        return i
      }),
    ),
  )
  t.deepEqual(order, [0, 1, 2, 3])
  t.deepEqual(
    results.map((result) => result.status),
    ['rejected', 'fulfilled', 'rejected', 'fulfilled'],
  )
  await assertFree(t, semaphore)
})

test('a task may add tasks to its own semaphore and end before they start', async (t) => {
  const semaphore = new CoreSemaphore(1)
  let inner
  await semaphore.synchronized(async () => {
    inner = semaphore.synchronized(async () => 'inner')
    await waitUntil(() => counts(semaphore).tasks === 2)
  })
  t.is(await settlesWithin(inner), 'inner')
  await assertFree(t, semaphore)
})
