// Signals that are none of Node.js's, and throw: a call that gets one fails, and no lock is left behind.
import { getEventListeners } from 'node:events'
import test from 'ava'
import { isPending, outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { gc, gcUntil } from '../helpers/gc.mjs'
import { assertFree, counts, hold, newSynchronizer } from '../helpers/locks.mjs'

const boom = () => {
  throw new Error('boom')
}
const listeners = (signal) => getEventListeners(signal, 'abort').length

/** Looks like an AbortSignal. */
function fakeSignal() {
  const heard = new Set()
  return {
    aborted: false,
    reason: undefined,
    addEventListener: (_, listener) => heard.add(listener),
    removeEventListener: (_, listener) => heard.delete(listener),
    abort(reason) {
      this.aborted = true
      this.reason = reason
      for (const listener of heard) listener({ type: 'abort' })
    },
  }
}

const faulty = {
  'an `aborted` that throws': () => Object.defineProperty(fakeSignal(), 'aborted', { get: boom }),
  'an `aborted` that throws from the third time on': () => {
    let times = 0
    return Object.defineProperty(fakeSignal(), 'aborted', { get: () => (++times < 3 ? false : boom()) })
  },
  'an addEventListener that throws': () => Object.assign(fakeSignal(), { addEventListener: boom }),
  'an addEventListener that calls back at once': () =>
    Object.assign(fakeSignal(), { addEventListener: (_, listener) => listener() }),
  'a removeEventListener that throws': () => Object.assign(fakeSignal(), { removeEventListener: boom }),
  'no removeEventListener': () => Object.assign(fakeSignal(), { removeEventListener: undefined }),
}

for (const [fault, make] of Object.entries(faulty)) {
  test.serial(`a signal with ${fault} wedges no lock`, async (t) => {
    for (const call of [
      (lock, signal, cb) => lock.synchronized({ cb, signal }),
      (lock, signal, cb) => lock.timeout(60_000, { signal }).synchronized({ cb, signal: new AbortController().signal }),
      async (lock, signal) => (await lock.acquire({ signal })).release(),
    ]) {
      const lock = newSynchronizer(1, { onEvent: () => {} })
      const holder = await hold(lock)
      const odd = outcome(() => call(lock, make(), async () => 'odd'))
      const behind = lock.synchronized(async () => 'behind')
      await turn()
      await settlesWithin(holder.release())
      t.is(await settlesWithin(behind), 'behind')
      await settlesWithin(odd)
      await assertFree(t, lock)
    }
  })
}

test('a `reason` that throws is what the call ends with', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const signal = Object.defineProperty(fakeSignal(), 'reason', { get: boom, set() {} })
  const waiting = outcome(() => lock.synchronized({ cb: async () => t.fail(), signal }))
  await turn()
  signal.abort()
  t.is((await settlesWithin(waiting)).reason.message, 'boom')
  await holder.release()
  await assertFree(t, lock)
})

test('a signal of another library ends the wait as one of Node.js does', async (t) => {
  const lock = newSynchronizer()
  const holder = await hold(lock)
  const signal = fakeSignal()
  const waiting = outcome(() => lock.synchronized({ cb: async () => t.fail(), signal }))
  await turn()
  signal.abort('stop')
  t.deepEqual(await settlesWithin(waiting), { status: 'rejected', reason: 'stop' })
  t.deepEqual(counts(lock), { tasks: 1, running: 1 })
  await holder.release()
  await assertFree(t, lock)
})

for (const which of ['of the call', 'of the view']) {
  test(`with a signal of the call and one of its view, the one ${which} ends the wait, also after a collection`, async (t) => {
    const lock = newSynchronizer()
    const holder = await hold(lock)
    const [call, view] = [new AbortController(), new AbortController()]
    const waiting = outcome(() =>
      lock.timeout(60_000, { signal: view.signal }).synchronized({ cb: async () => t.fail(), signal: call.signal }),
    )
    await turn()
    t.deepEqual(
      [call, view].map(({ signal }) => listeners(signal)),
      [1, 1],
    )
    await gc()
    t.true(await isPending(waiting))
    const [first, second] = which === 'of the call' ? [call, view] : [view, call]
    first.abort('first')
    second.abort('second')
    t.deepEqual(await settlesWithin(waiting), { status: 'rejected', reason: 'first' })
    t.deepEqual(
      [call, view].map(({ signal }) => listeners(signal)),
      [0, 0],
    )
    await holder.release()
    await assertFree(t, lock)
  })

  test(`where the signal ${which} is a time limit that nobody else keeps, a collection does not keep it from ending the wait`, async (t) => {
    const lock = newSynchronizer()
    const holder = await hold(lock)
    const start = (signal) => {
      const [call, view] =
        which === 'of the call' ? [signal, new AbortController().signal] : [new AbortController().signal, signal]
      return outcome(() =>
        lock.timeout(60_000, { signal: view }).synchronized({ cb: async () => t.fail(), signal: call }),
      )
    }
    const waiting = start(AbortSignal.timeout(100))
    await turn()
    for (let i = 0; i < 3; i++) await gc()
    t.is((await settlesWithin(waiting)).reason.name, 'TimeoutError')
    await holder.release()
    await assertFree(t, lock)
  })
}

test('two signals are listened to only while somebody waits, and keep nothing of a call that is over', async (t) => {
  const lock = newSynchronizer()
  const [{ signal }, { signal: viewSignal }] = [new AbortController(), new AbortController()]
  const view = lock.timeout(60_000, { signal: viewSignal })
  const results = []
  const round = async () => {
    const holder = await hold(lock)
    const result = {}
    results.push(new WeakRef(result))
    const waiting = view.synchronized({ cb: async () => result, signal })
    await turn()
    t.deepEqual([listeners(signal), listeners(viewSignal)], [1, 1])
    await holder.release()
    await waiting
    t.deepEqual([listeners(signal), listeners(viewSignal)], [0, 0])
  }
  for (let i = 0; i < 100; i++) await round()
  const kept = () => results.filter((reference) => reference.deref() !== undefined).length
  t.true(await gcUntil(() => kept() === 0), `${kept()} are kept`)
})
