// Aborts at random while threads share locks: whatever order grants of other threads, time limits and aborts come in, every call
// ends once, at most so many are inside, and all locks end free.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { waitUntil } from '../helpers/async.mjs'
import { assertFree, counts } from '../helpers/locks.mjs'
import { seedOf } from '../helpers/random.mjs'
import { newName, startThreads } from '../helpers/threads.mjs'

/** Calls in all ways, with shared signals that abort; tells how they ended. Sent to other threads as text. */
async function call({ SynchronizerProvider }, scope, providerId, limits, times, seed, buffer) {
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const pick = (list) => list[Math.floor(random() * list.length)]
  const shared = new Int32Array(buffer)
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  let controllers = [new AbortController(), new AbortController()]
  const onEvent = () => {
    if (random() < 0.02) controllers[0].abort('stop')
  }
  const provider = new SynchronizerProvider({ providerId, scope, onEvent })
  const ends = { entered: 0, aborted: 0, late: 0, other: [] }
  const inside = async (lock) => {
    const now = Atomics.add(shared, lock, 1) + 1
    if (now > limits[lock]) Atomics.add(shared, limits.length, 1)
    ends.entered++
    if (random() < 0.3) await turn()
    Atomics.sub(shared, lock, 1)
  }
  const one = async () => {
    const lock = Math.floor(random() * limits.length)
    const synchronizer = provider.forKey(`key ${lock}`, limits[lock])
    const [{ signal }, { signal: other }] = [pick(controllers), pick(controllers)]
    const timeout = pick([undefined, undefined, 1, 5, 10_000])
    try {
      if (random() < 0.3) {
        const guard = await synchronizer.acquire({ signal, timeout })
        await inside(lock)
        guard.release()
      } else
        await synchronizer
          .timeout(timeout ?? Infinity, { signal: other })
          .synchronized({ cb: () => inside(lock), signal })
    } catch (error) {
      if (error === 'stop') ends.aborted++
      else if (error.code === 'Timeout' && timeout < 10_000) ends.late++
      else ends.other.push(String(error))
    }
  }
  const all = []
  for (let i = 0; i < times; i++) {
    all.push(one())
    if (random() < 0.1) pick(controllers).abort('stop')
    controllers = controllers.map((controller) => (controller.signal.aborted ? new AbortController() : controller))
    if (random() < 0.2) await turn()
  }
  await Promise.all(all)
  return { ...ends, all: all.length }
}

for (const scope of ['thread', 'process']) {
  test(`locks of scope '${scope}' lose no permit to aborts at random`, async (t) => {
    t.timeout(60_000)
    const seed = seedOf(t)
    const name = newName()
    const limits = [1, 1, 2, 3]
    const buffer = new SharedArrayBuffer(4 * (limits.length + 1))
    const api = { SynchronizerProvider }
    const threads = scope === 'process' ? startThreads(t, 2) : []
    const results = await Promise.all([
      call(api, scope, name, limits, 1500, seed, buffer),
      ...threads.map((thread, i) => thread.run(call, scope, name, limits, 1500, seed + i + 1, buffer)),
    ])
    for (const { entered, aborted, late, other, all } of results) {
      t.deepEqual(other, [])
      t.is(entered + aborted + late, all)
      t.true(entered > 0 && aborted > 0)
    }
    t.deepEqual([...new Int32Array(buffer)], [0, 0, 0, 0, 0], 'nobody is inside, and never were too many')
    const provider = new SynchronizerProvider({ providerId: name, scope })
    for (const [i, limit] of limits.entries()) {
      const lock = provider.forKey(`key ${i}`, limit)
      await waitUntil(() => counts(lock).tasks === 0)
      await assertFree(t, lock, limit)
    }
  })
}
