// AbortSignal and isCanceled on locks: who gets in, with what reason the others end, and that nothing is left behind.
import { getEventListeners } from 'node:events'
import test from 'ava'
import { deferred, microtasks, outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { assertFree, counts, hold, newSynchronizer } from '../helpers/locks.mjs'

const listeners = (signal) => getEventListeners(signal, 'abort').length

/** Every way to wait for a synchronizer with a signal; each resolves with what it got in with. */
const ways = {
  synchronized: (lock, signal, cb) => lock.synchronized({ cb, signal }),
  'timeout view': (lock, signal, cb) => lock.timeout(60_000, { signal }).synchronized(cb),
  'call on a timeout view': (lock, signal, cb) => lock.timeout(60_000).synchronized({ cb, signal }),
  acquire: async (lock, signal, cb) => {
    const guard = await lock.acquire({ signal })
    try {
      return await cb()
    } finally {
      guard.release()
    }
  },
  'acquire with a timeout': async (lock, signal, cb) => {
    const guard = await lock.acquire({ signal, timeout: 60_000 })
    try {
      return await cb()
    } finally {
      guard.release()
    }
  },
}

for (const [way, call] of Object.entries(ways)) {
  for (const reason of [new Error('stop'), 'text', 0, null, undefined]) {
    test(`${way}: an abort while waiting rejects with the signal's reason (${String(reason)}) and the callback never runs`, async (t) => {
      const lock = newSynchronizer()
      const holder = await hold(lock)
      const controller = new AbortController()
      const aborted = outcome(() => call(lock, controller.signal, async () => t.fail()))
      const behind = lock.synchronized(async () => 'served')
      await turn()
      t.deepEqual(counts(lock), { tasks: 3, running: 1 })
      controller.abort(reason)
      const result = await settlesWithin(aborted)
      t.is(result.status, 'rejected')
      t.is(result.reason, controller.signal.reason)
      t.deepEqual(counts(lock), { tasks: 2, running: 1 }, 'it leaves the queue at once')
      t.is(listeners(controller.signal), 0)
      await holder.release()
      t.is(await behind, 'served')
      await turn()
      await assertFree(t, lock)
    })
  }

  test(`${way}: an abort takes the waiter out of the counters within the abort itself`, async (t) => {
    const lock = newSynchronizer()
    const holder = await hold(lock)
    const controller = new AbortController()
    const aborted = outcome(() => call(lock, controller.signal, async () => t.fail()))
    await turn()
    controller.abort()
    t.deepEqual(counts(lock), { tasks: 1, running: 1 })
    await aborted
    await holder.release()
    await assertFree(t, lock)
  })

  test(`${way}: a signal that is already aborted keeps the callback from running`, async (t) => {
    const lock = newSynchronizer()
    const reason = new Error('stop')
    const signal = AbortSignal.abort(reason)
    t.deepEqual(await outcome(() => call(lock, signal, async () => t.fail())), { status: 'rejected', reason })
    await assertFree(t, lock)
    const holder = await hold(lock)
    t.deepEqual(await settlesWithin(outcome(() => call(lock, signal, async () => t.fail()))), {
      status: 'rejected',
      reason,
    })
    t.deepEqual(counts(lock), { tasks: 1, running: 1 })
    await holder.release()
    t.is(listeners(signal), 0)
    await assertFree(t, lock)
  })

  test(`${way}: an abort while the callback runs changes nothing`, async (t) => {
    const lock = newSynchronizer()
    const controller = new AbortController()
    const gate = deferred()
    const entered = deferred()
    const run = call(lock, controller.signal, async () => {
      entered.resolve()
      return gate.promise
    })
    await entered.promise
    t.is(listeners(controller.signal), 0, 'nobody listens any more')
    controller.abort()
    gate.resolve('value')
    t.is(await run, 'value')
    await assertFree(t, lock)
  })

  test(`${way}: an abort at each moment around the grant yields one outcome and loses no permit`, async (t) => {
    for (let moment = 0; moment < 16; moment++) {
      for (const free of [false, true]) {
        const lock = newSynchronizer()
        const gate = deferred()
        const holder = free ? undefined : lock.synchronized(() => gate.promise)
        if (!free) await turn()
        const controller = new AbortController()
        const reason = new Error('stop')
        let entered = false
        const run = outcome(() =>
          call(lock, controller.signal, async () => {
            entered = true
            return 'value'
          }),
        )
        const behind = lock.synchronized(async () => 'served')
        gate.resolve()
        await microtasks(moment)
        const enteredBefore = entered
        controller.abort(reason)
        const result = await settlesWithin(run)
        t.deepEqual(result, entered ? { status: 'fulfilled', value: 'value' } : { status: 'rejected', reason })
        // A guard may be on its way to its caller already; a callback that has not started never will.
        if (!way.startsWith('acquire')) t.is(entered, enteredBefore, `${moment} microtasks after the release`)
        t.is(await settlesWithin(behind), 'served')
        await holder
        t.is(listeners(controller.signal), 0)
        await assertFree(t, lock)
      }
    }
  })
}

test('the throttle view takes a signal too', async (t) => {
  const lock = newSynchronizer()
  const reason = new Error('stop')
  const controller = new AbortController()
  const { signal } = controller
  t.is(await lock.throttle({ signal }).synchronized(async () => 'entered'), 'entered')
  t.is(await lock.throttle().synchronized({ cb: async () => 'entered', signal }), 'entered')
  const holder = await hold(lock)
  await t.throwsAsync(
    lock.throttle({ signal }).synchronized(async () => t.fail()),
    { code: 'Throttle' },
  )
  await holder.release()
  controller.abort(reason)
  for (const call of [
    () => lock.throttle({ signal }).synchronized(async () => t.fail()),
    () => lock.throttle().synchronized({ cb: async () => t.fail(), signal }),
  ])
    t.deepEqual(await outcome(call), { status: 'rejected', reason })
  t.is(listeners(signal), 0)
  await assertFree(t, lock)
})

test('one abort ends all who wait with that signal, and nobody else', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const controller = new AbortController()
  const runs = Array.from({ length: 300 }, (_, i) =>
    outcome(() => lock.synchronized({ cb: async () => i, signal: i % 3 === 0 ? undefined : controller.signal })),
  )
  await turn()
  controller.abort('stop')
  t.deepEqual(counts(lock), { tasks: 101, running: 1 })
  await holder.release()
  const results = await settlesWithin(Promise.all(runs))
  results.forEach((result, i) => {
    t.deepEqual(result, i % 3 === 0 ? { status: 'fulfilled', value: i } : { status: 'rejected', reason: 'stop' })
  })
  t.is(listeners(controller.signal), 0)
  await assertFree(t, lock)
})

test('an abort handler that uses the same lock finds it in order', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const controller = new AbortController()
  let fromHandler
  controller.signal.addEventListener('abort', () => {
    fromHandler = lock.synchronized(async () => 'from the handler')
  })
  const waiting = outcome(() => lock.synchronized({ cb: async () => t.fail(), signal: controller.signal }))
  controller.abort('stop')
  t.deepEqual(await waiting, { status: 'rejected', reason: 'stop' })
  await holder.release()
  t.is(await fromHandler, 'from the handler')
  await assertFree(t, lock)
})

test('a call without a need to wait rejects when its callback aborts only if the callback itself rejects', async (t) => {
  const lock = newSynchronizer()
  const controller = new AbortController()
  t.is(
    await lock.synchronized({
      cb: async () => {
        controller.abort()
        return 'value'
      },
      signal: controller.signal,
    }),
    'value',
  )
  await assertFree(t, lock)
})

test('10,000 calls with one signal leave no listener, whatever their outcome', async (t) => {
  const lock = newSynchronizer(2)
  const controller = new AbortController()
  const { signal } = controller
  const outcomes = [
    () => lock.synchronized({ cb: async () => 'value', signal }),
    () =>
      lock.synchronized({
        cb: async () => {
          throw new Error('boom')
        },
        signal,
      }),
    () => lock.synchronized({ cb: async () => {}, signal, throttle: true }),
    () => lock.synchronized({ cb: async () => {}, signal, isCanceled: () => true }),
    () => lock.timeout(0, { signal }).synchronized(async () => {}),
    () => lock.timeout(1).synchronized({ cb: async () => {}, signal }),
    async () => (await lock.acquire({ signal })).release(),
    () => lock.acquire({ signal, timeout: 0 }).then((guard) => guard.release()),
  ]
  for (let round = 0; round < 10; round++) {
    await Promise.allSettled(Array.from({ length: 1000 }, (_, i) => outcomes[i % outcomes.length]()))
    t.is(listeners(signal), 0)
  }
  await assertFree(t, lock, 2)
})

test('a long queue on one signal leaves no listener after the abort', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const controller = new AbortController()
  const runs = Array.from({ length: 10_000 }, () =>
    outcome(() => lock.synchronized({ cb: async () => {}, signal: controller.signal })),
  )
  await turn()
  controller.abort()
  t.is(listeners(controller.signal), 0)
  t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  await Promise.all(runs)
  await holder.release()
  await assertFree(t, lock)
})

test("the owner's own onabort still fires", async (t) => {
  const lock = newSynchronizer()
  const controller = new AbortController()
  let fired = 0
  const own = () => {
    fired++
  }
  controller.signal.onabort = own
  await lock.synchronized({ cb: async () => {}, signal: controller.signal })
  const holder = await hold(lock)
  const waiting = outcome(() => lock.synchronized({ cb: async () => {}, signal: controller.signal }))
  t.is(controller.signal.onabort, own)
  controller.abort('stop')
  t.is(fired, 1)
  t.is((await waiting).reason, 'stop')
  await holder.release()
})

test('an abort is heard although another listener stops its propagation', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const controller = new AbortController()
  controller.signal.addEventListener('abort', (event) => {
    event.stopImmediatePropagation()
  })
  const waiting = outcome(() => lock.synchronized({ cb: async () => t.fail(), signal: controller.signal }))
  controller.abort('stop')
  t.deepEqual(await settlesWithin(waiting), { status: 'rejected', reason: 'stop' })
  await holder.release()
  await assertFree(t, lock)
})

test('AbortSignal.timeout() and AbortSignal.any() serve as well', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const byTime = await settlesWithin(
    outcome(() => lock.synchronized({ cb: async () => t.fail(), signal: AbortSignal.timeout(5) })),
  )
  t.is(byTime.reason.name, 'TimeoutError')
  const controller = new AbortController()
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(60_000)])
  const byAny = outcome(() => lock.synchronized({ cb: async () => t.fail(), signal }))
  controller.abort('stop')
  t.is((await settlesWithin(byAny)).reason, 'stop')
  await holder.release()
  await assertFree(t, lock)
})

test('a signal that is none is refused and costs no permit', async (t) => {
  for (const signal of [1, 'text', true, {}]) {
    const lock = newSynchronizer()
    for (const call of Object.values(ways)) {
      const { status, reason } = await outcome(() => call(lock, signal, async () => t.fail()))
      t.is(status, 'rejected')
      t.true(reason instanceof Error)
    }
    await assertFree(t, lock)
  }
})

for (const view of ['timeout', 'throttle']) {
  test(`the signal of a ${view} view counts beside that of the call`, async (t) => {
    const lock = newSynchronizer()
    const other = new AbortController().signal
    const viewOf = (signal) => (view === 'timeout' ? lock.timeout(60_000, { signal }) : lock.throttle({ signal }))
    const run = (signal, callSignal) =>
      outcome(() => viewOf(signal).synchronized({ cb: async () => 'ran', signal: callSignal }))
    t.is((await run(AbortSignal.abort('by the view'), other)).reason, 'by the view')
    t.is((await run(other, AbortSignal.abort('by the call'))).reason, 'by the call')
    t.is((await run(other, new AbortController().signal)).value, 'ran')
    t.is((await run(other, 'no signal')).reason.code, 'Invalid')
    t.is((await run('no signal', other)).reason.code, 'Invalid')
    await assertFree(t, lock)
  })
}

test('a wait ends with whichever signal aborts first, that of the view or that of the call', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  for (const which of [0, 1]) {
    const controllers = [new AbortController(), new AbortController()]
    const waiting = outcome(() =>
      lock
        .timeout(60_000, { signal: controllers[0].signal })
        .synchronized({ cb: async () => {}, signal: controllers[1].signal }),
    )
    await turn()
    controllers[which].abort(`signal ${which}`)
    t.is((await settlesWithin(waiting)).reason, `signal ${which}`)
  }
  await holder.release()
  await assertFree(t, lock)
})

test('options that are no object are refused by value', async (t) => {
  const lock = newSynchronizer()
  t.throws(() => lock.timeout(5, 7), { code: 'Invalid', message: /timeout\(\).*7/ })
  t.throws(() => lock.throttle('x'), { code: 'Invalid', message: /throttle\(\).*'x'/ })
  await t.throwsAsync(lock.acquire(50), { code: 'Invalid', message: /acquire\(\).*50/ })
})
