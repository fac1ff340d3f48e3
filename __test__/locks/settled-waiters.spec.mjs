// A waiter that has settled never acts again, whatever order grants, time limits, aborts and listeners come in: the core uses
// its ticket for somebody else by then.
import { AsyncResource } from 'node:async_hooks'
import test from 'ava'
import { CoreSemaphore, SynchronizerProvider } from '../../index.mjs'
import { outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { assertFree, counts, newSynchronizer } from '../helpers/locks.mjs'
import { randomFrom, seedOf } from '../helpers/random.mjs'

test('a waiter that was granted the permit while its signal aborts leaves the ticket to the next in line', async (t) => {
  let third
  let events = 0
  const lock = newSynchronizer(1, {
    onEvent: ({ type }) => {
      if (type !== 'Cancel' || events++ > 0) return
      guard.release()
      third = lock.synchronized(async () => 'third')
    },
  })
  const guard = await lock.acquire()
  const controller = new AbortController()
  const [first, second] = [1, 2].map((n) =>
    outcome(() => lock.synchronized({ cb: async () => n, signal: controller.signal })),
  )
  await turn()
  controller.abort('stop')
  t.deepEqual(await settlesWithin(first), { status: 'rejected', reason: 'stop' })
  t.deepEqual(await settlesWithin(second), { status: 'rejected', reason: 'stop' })
  t.is(await settlesWithin(third), 'third')
  await assertFree(t, lock)
})

test('a permit that an Acquire listener gives or takes away ends the wait once', async (t) => {
  for (const act of ['release', 'abort']) {
    const controller = new AbortController()
    let guard
    const lock = newSynchronizer(1, {
      onEvent: ({ type }) => {
        if (type !== 'Acquire' || guard === undefined) return
        if (act === 'release') guard.release()
        else controller.abort('stop')
        guard.release()
      },
    })
    guard = await lock.acquire()
    const waiting = outcome(() =>
      lock.timeout(60_000).synchronized({ cb: async () => 'value', signal: controller.signal }),
    )
    const expected =
      act === 'release' ? { status: 'fulfilled', value: 'value' } : { status: 'rejected', reason: 'stop' }
    t.deepEqual(await settlesWithin(waiting), expected, act)
    guard = undefined
    await assertFree(t, lock)
  }
})

/** One world of locks whose listeners do something re-entrantly in every event. */
class World {
  open = 0
  calls = []
  guards = []
  controllers = []
  budget = 400
  /** Outside of every section: what listeners start is no re-entry. */
  outside = AsyncResource.bind((run) => run())

  constructor(random) {
    this.random = random
    this.locks = [1, 1, 2, 3].map((limit) => {
      const lock = newSynchronizer(limit, {
        onEvent: () => {
          if (this.random() < 0.4) this.act()
        },
      })
      return { lock, limit, inside: 0, most: 0 }
    })
    for (let i = 0; i < 3; i++) this.controllers.push(new AbortController())
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)]
  }

  act() {
    this.outside(() => this.#act())
  }

  #act() {
    const { random } = this
    const what = random()
    if (what < 0.3) this.guards.splice(Math.floor(random() * this.guards.length), 1)[0]?.release()
    else if (what < 0.4) {
      const i = Math.floor(random() * this.controllers.length)
      const controller = this.controllers[i]
      this.controllers[i] = new AbortController()
      controller.abort(controller)
    } else if (this.budget-- > 0) this.call()
  }

  /** A call in a random way; its outcome must be one that its options allow, and its callback runs as often as it says. */
  call() {
    const { random } = this
    const entry = this.pick(this.locks)
    const controllers = [this.pick(this.controllers), this.pick(this.controllers)]
    const [signal, viewSignal] = controllers.map(({ signal }) => (random() < 0.6 ? signal : undefined))
    const timeout = this.pick([undefined, undefined, 0, 1, 3, 60_000])
    const isCanceled = random() < 0.1 ? () => random() < 0.5 : undefined
    const record = { runs: 0, settled: 0, timeout, signals: [signal, viewSignal], isCanceled, outcome: undefined }
    const enter = () => {
      record.runs++
      entry.most = Math.max(entry.most, ++entry.inside)
    }
    const run = async () => {
      if (random() < 0.3) {
        record.signals = [signal]
        record.isCanceled = undefined
        const guard = await entry.lock.acquire({ signal, timeout })
        enter()
        this.guards.push({
          release: () => {
            entry.inside--
            guard.release()
          },
        })
        return
      }
      const cb = async () => {
        enter()
        for (let turns = Math.floor(random() * 3); turns > 0; turns--) await (random() < 0.5 ? null : turn())
        entry.inside--
        if (random() < 0.2) this.act()
      }
      await entry.lock.timeout(timeout ?? Infinity, { signal: viewSignal }).synchronized({ cb, signal, isCanceled })
    }
    this.open++
    this.calls.push(record)
    outcome(run).then((result) => {
      record.settled++
      record.outcome = result
      this.open--
    })
  }

  async finish() {
    // Whoever waits for guards that nobody releases any more is let in.
    while (this.open > 0 || this.guards.length > 0) {
      for (const guard of this.guards.splice(0)) guard.release()
      await turn()
    }
  }

  check(t) {
    for (const { runs, settled, timeout, signals, isCanceled, outcome } of this.calls) {
      t.is(settled, 1)
      if (outcome.status === 'fulfilled') {
        t.is(runs, 1)
        continue
      }
      t.is(runs, 0)
      const { reason } = outcome
      const allowed =
        signals.some((signal) => signal?.aborted && signal.reason === reason) ||
        (reason.code === 'Timeout' && timeout < 60_000) ||
        (reason.code === 'Cancel' && isCanceled !== undefined)
      if (!allowed) t.fail(`ended with ${reason?.stack ?? reason}`)
    }
  }
}

test('whatever listeners do in any event, each waiter settles once as it may, and every lock ends free', async (t) => {
  t.timeout(60_000)
  const seed = seedOf(t)
  for (let round = 0; round < 60; round++) {
    const world = new World(randomFrom(seed + round))
    for (let i = 0; i < 60; i++) {
      world.call()
      if (world.random() < 0.2) world.act()
      if (world.random() < 0.2) await turn()
    }
    await settlesWithin(world.finish(), 10_000)
    world.check(t)
    for (const { lock, limit, inside, most } of world.locks) {
      t.is(inside, 0)
      t.true(most <= limit, `${most} were inside of ${limit}`)
      t.deepEqual(counts(lock), { tasks: 0, running: 0 })
      // Its listeners would go on acting.
      world.random = () => 1
      await assertFree(t, lock, limit)
    }
  }
})

test('a promise with a then of its own neither keeps the permit of a CoreSemaphore nor gives it back twice', async (t) => {
  const semaphore = new CoreSemaphore(1)
  const odd = [
    () =>
      Object.assign(Promise.resolve(1), {
        then() {
          throw new Error('then')
        },
      }),
    () =>
      Object.assign(Promise.resolve(1), {
        then(onValue) {
          onValue(1)
          onValue(1)
        },
      }),
    () => Object.assign(Promise.resolve(1), { then() {} }),
    () =>
      Object.defineProperty(Promise.resolve(1), 'constructor', {
        get() {
          throw new Error('constructor')
        },
      }),
    () => ({
      get then() {
        throw new Error('getter')
      },
    }),
  ]
  for (const cb of odd) {
    const all = [cb, cb, async () => 'last'].map((each) => outcome(() => semaphore.synchronized(each)))
    const [, , last] = await settlesWithin(Promise.all(all))
    t.is(last.value, 'last')
    t.deepEqual(counts(semaphore), { tasks: 0, running: 0 })
  }
  await assertFree(t, semaphore)
  const lock = new SynchronizerProvider().forKey('key')
  for (const cb of odd) await settlesWithin(outcome(() => lock.synchronized(cb)))
  await assertFree(t, lock)
})
