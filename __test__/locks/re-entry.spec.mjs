// Re-entry: who counts as "inside", and for how long.
import { EventEmitter } from 'node:events'
import test from 'ava'
import { LazyInitializer, Semaphore } from '../../index.mjs'
import { deferred, isPending, settlesWithin, sleep, turn } from '../helpers/async.mjs'
import { assertFree, counts, hold, newSynchronizer } from '../helpers/locks.mjs'

const ways = {
  synchronized: (lock, cb) => lock.synchronized(cb),
  'the object form': (lock, cb) => lock.synchronized({ cb }),
  'timeout()': (lock, cb) => lock.timeout(50).synchronized(cb),
  'timeout(0)': (lock, cb) => lock.timeout(0).synchronized(cb),
  'throttle()': (lock, cb) => lock.throttle().synchronized(cb),
  'throttle: true': (lock, cb) => lock.synchronized({ cb, throttle: true }),
}

for (const [way, call] of Object.entries(ways)) {
  for (const limit of [1, 3]) {
    test(`a section inside the same section passes straight through by ${way}, limit ${limit}`, async (t) => {
      const lock = newSynchronizer(limit)
      // All other permits are taken, so that only a re-entrant call can get through.
      const holder = limit > 1 ? await hold(lock, limit - 1) : undefined
      const value = await settlesWithin(
        lock.synchronized(() =>
          call(lock, async () => {
            t.deepEqual(counts(lock), { tasks: limit, running: limit }, 'it takes no permit of its own')
            return 'inside'
          }),
        ),
      )
      t.is(value, 'inside')
      await holder?.release()
      await assertFree(t, lock, limit)
    })
  }

  test(`re-entry by ${way} does not wait behind those who queue`, async (t) => {
    const lock = newSynchronizer()
    const order = []
    const gate = deferred()
    const outer = lock.synchronized(async () => {
      await gate.promise
      await call(lock, async () => {
        order.push('inner')
      })
      order.push('outer')
    })
    await turn()
    const queued = lock.synchronized(async () => {
      order.push('queued')
    })
    gate.resolve()
    await settlesWithin(Promise.all([outer, queued]))
    t.deepEqual(order, ['inner', 'outer', 'queued'])
    await assertFree(t, lock)
  })
}

test('re-entry works at any depth and across timers, microtasks and other locks', async (t) => {
  const [lock, other] = [newSynchronizer(), newSynchronizer()]
  const descend = async (depth) => {
    if (depth === 0) return 'bottom'
    await [sleep(1), turn(), Promise.resolve()][depth % 3]
    return depth % 4 === 0
      ? other.synchronized(() => lock.synchronized(() => descend(depth - 1)))
      : lock.synchronized(() => descend(depth - 1))
  }
  t.is(await settlesWithin(lock.synchronized(() => descend(30))), 'bottom')
  await assertFree(t, lock)
  await assertFree(t, other)
})

test('several re-entrant sections may run side by side', async (t) => {
  const lock = newSynchronizer()
  let inside = 0
  let peak = 0
  await lock.synchronized(() =>
    Promise.all(
      Array.from({ length: 5 }, () =>
        lock.synchronized(async () => {
          peak = Math.max(peak, ++inside)
          await turn()
          inside--
        }),
      ),
    ),
  )
  t.is(peak, 5)
  await assertFree(t, lock)
})

test('a failing re-entrant section rejects itself only', async (t) => {
  const lock = newSynchronizer()
  await lock.synchronized(async () => {
    await t.throwsAsync(
      lock.synchronized(async () => {
        throw new Error('boom')
      }),
      { message: 'boom' },
    )
    await t.throwsAsync(
      lock.synchronized(() => {
        throw new Error('boom')
      }),
      { message: 'boom' },
    )
    t.is(await lock.synchronized(() => 'plain'), 'plain')
    t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  })
  await assertFree(t, lock)
})

test('the end of a re-entrant section does not end the outer one', async (t) => {
  const lock = newSynchronizer()
  await lock.synchronized(async () => {
    await lock.synchronized(async () => {})
    t.is(await settlesWithin(lock.synchronized(async () => 'still inside')), 'still inside')
    await t.throwsAsync(lock.acquire(), { code: 'ReentrantExecution' })
  })
  await assertFree(t, lock)
})

test('being inside one synchronizer does not open another', async (t) => {
  const [a, b] = [newSynchronizer(), newSynchronizer()]
  const holder = await hold(b)
  await a.synchronized(async () => {
    await t.throwsAsync(
      b.throttle().synchronized(async () => t.fail()),
      { code: 'Throttle' },
    )
  })
  await holder.release()
})

test('a call from outside is not re-entrant while somebody is inside', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  t.true(await isPending(lock.synchronized(async () => {})))
  await holder.release()
})

test('raiseOnReentrant rejects with ReentrantExecution and the lock stays usable', async (t) => {
  for (const limit of [1, 3]) {
    const lock = newSynchronizer(limit, { raiseOnReentrant: true })
    await lock.synchronized(async () => {
      for (const call of Object.values(ways)) {
        await t.throwsAsync(settlesWithin(call(lock, async () => t.fail())), { code: 'ReentrantExecution' })
      }
      t.deepEqual(counts(lock), { tasks: 1, running: 1 })
    })
    await assertFree(t, lock, limit)
  }
})

test('LazyInitializer raises on re-entry', async (t) => {
  const lazy = new LazyInitializer(async () => {
    await t.throwsAsync(settlesWithin(lazy.get()), { code: 'ReentrantExecution' })
    return 'value'
  })
  t.is(await lazy.get(), 'value')
})

test('initializers that need each other reject with ReentrantExecution', async (t) => {
  const a = new LazyInitializer(() => b.get())
  const b = new LazyInitializer(() => a.get())
  for (const lazy of [a, b]) await t.throwsAsync(settlesWithin(lazy.get()), { code: 'ReentrantExecution' })
})

test('initializers that need each other do not wait for ever when started together', async (t) => {
  const a = new LazyInitializer(async () => {
    await turn()
    return b.get()
  })
  const b = new LazyInitializer(async () => {
    await turn()
    return a.get()
  })
  const results = await settlesWithin(Promise.allSettled([a.get(), b.get()]))
  for (const { reason } of results) t.is(reason.code, 'ReentrantExecution')
})

test('initializers may need the same third one, started together', async (t) => {
  let calls = 0
  const base = new LazyInitializer(async () => {
    calls++
    await turn()
    return 'base'
  })
  const left = new LazyInitializer(async () => `left of ${await base.get()}`)
  const right = new LazyInitializer(async () => `right of ${await base.get()}`)
  const top = new LazyInitializer(async () => Promise.all([left.get(), right.get(), base.get()]))
  const [value] = await settlesWithin(Promise.all([top.get(), right.get(), left.get()]))
  t.deepEqual(value, ['left of base', 'right of base', 'base'])
  t.is(calls, 1)
})

// Work that was started inside a section and is still there after its end.
const lateStarts = {
  'a promise chain': (go, late) => {
    go.promise.then(late)
  },
  'an async function': async (go, late) => {
    await go.promise
    late()
  },
  'a timer': (go, late) => {
    const timer = setInterval(() => {
      if (go.gone) {
        clearInterval(timer)
        late()
      }
    }, 1)
  },
  'an immediate': (go, late) => {
    const poll = () => {
      go.gone ? late() : setImmediate(poll)
    }
    poll()
  },
  'an event handler': (go, late) => {
    const emitter = new EventEmitter()
    emitter.once('go', late)
    go.promise.then(() => emitter.emit('go'))
  },
}

for (const [what, start] of Object.entries(lateStarts)) {
  test(`once the section has ended, a call from ${what} that was made inside queues like anyone`, async (t) => {
    for (const [way, call] of Object.entries({ synchronized: ways.synchronized, object: ways['the object form'] })) {
      const lock = newSynchronizer()
      let inside = 0
      let peak = 0
      const body = async () => {
        peak = Math.max(peak, ++inside)
        await turn()
        await turn()
        inside--
      }
      const go = Object.assign(deferred(), { gone: false })
      const late = deferred()
      await lock.synchronized(async () => {
        start(go, () => {
          call(lock, body).then(late.resolve, late.reject)
        })
      })
      const others = [lock.synchronized(body), lock.synchronized(body)]
      go.gone = true
      go.resolve()
      await settlesWithin(Promise.all([late.promise, ...others]))
      t.is(peak, 1, way)
      await assertFree(t, lock)
    }
  })
}

test('a late call may be throttled or time out like any other', async (t) => {
  const lock = newSynchronizer()
  const go = deferred()
  let late
  await lock.synchronized(async () => {
    late = go.promise.then(() =>
      Promise.allSettled([
        lock.throttle().synchronized(async () => t.fail()),
        lock.timeout(5).synchronized(async () => t.fail()),
      ]),
    )
  })
  const holder = await hold(lock)
  go.resolve()
  t.deepEqual(
    (await settlesWithin(late)).map((result) => result.reason.code),
    ['Throttle', 'Timeout'],
  )
  await holder.release()
  await assertFree(t, lock)
})

test('a late call is no re-entry for raiseOnReentrant either', async (t) => {
  const lock = newSynchronizer(1, { raiseOnReentrant: true })
  const go = deferred()
  let late
  await lock.synchronized(async () => {
    late = go.promise.then(() => lock.synchronized(async () => 'entered'))
  })
  go.resolve()
  t.is(await settlesWithin(late), 'entered')
})

test('the mark ends with a failed section too', async (t) => {
  const lock = newSynchronizer()
  const go = deferred()
  let late
  await t.throwsAsync(
    lock.synchronized(async () => {
      late = go.promise.then(() => lock.synchronized(async () => 'entered'))
      throw new Error('boom')
    }),
    { message: 'boom' },
  )
  const holder = await hold(lock)
  go.resolve()
  t.true(await isPending(late))
  await holder.release()
  t.is(await late, 'entered')
})

test('a late call is re-entrant again inside a section of its own', async (t) => {
  const lock = newSynchronizer()
  const go = deferred()
  let late
  await lock.synchronized(async () => {
    late = go.promise.then(() => lock.synchronized(() => lock.synchronized(async () => 'inside again')))
  })
  go.resolve()
  t.is(await settlesWithin(late), 'inside again')
  await assertFree(t, lock)
})

test('Semaphore forgets the mark as well', async (t) => {
  const semaphore = new Semaphore(1)
  const go = deferred()
  const seen = []
  let late
  await semaphore.synchronized(async () => {
    late = go.promise.then(() =>
      semaphore.synchronized(async (isReentrant) => {
        seen.push(isReentrant)
      }),
    )
  })
  const holder = await hold(semaphore)
  go.resolve()
  t.true(await isPending(late))
  await holder.release()
  await late
  t.deepEqual(seen, [false])
})
