// Everything at once, by chance but repeatable: all ways to wait for a few keys, all ways to give up, with collections in
// between. No limit is ever exceeded, whoever gets in does so in the order of the calls, and nothing is left over.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { outcome, settlesWithin, sleep, turn } from '../helpers/async.mjs'
import { gc, gcUntil } from '../helpers/gc.mjs'
import { randomFrom } from '../helpers/random.mjs'

for (const seed of [1, 2, 3]) {
  test(`no limit is exceeded, no order broken and no permit lost, whatever happens (seed ${seed})`, async (t) => {
    const next = randomFrom(seed)
    const below = (count) => Math.floor(next() * count)
    const provider = new SynchronizerProvider()
    const keys = Array.from({ length: 6 }, (_, i) => ({
      name: `key ${i}`,
      limit: 1 + (i % 3),
      inside: 0,
      calls: 0,
      lastEntered: -1,
    }))
    const lockOf = (key) => provider.forKey(key.name, key.limit)
    const codes = new Map()

    const pause = async () => {
      const kind = below(8)
      if (kind === 0) await sleep(below(3))
      else if (kind < 3) await turn()
      else for (let i = below(4); i > 0; i--) await null
    }
    const enter = async (key, call) => {
      t.true(call > key.lastEntered, 'first come, first served')
      key.lastEntered = call
      t.true(++key.inside <= key.limit, 'the limit holds')
      await pause()
      if (below(10) === 0) {
        await lockOf(key).synchronized(pause)
        t.is((await outcome(() => lockOf(key).acquire())).reason?.code, 'ReentrantExecution')
      }
      key.inside--
      if (below(6) === 0) throw Object.assign(new Error('boom'), { code: 'boom' })
    }
    const guarded = async (key, call, params) => {
      const guard = await lockOf(key).acquire(params)
      t.true(++key.inside <= key.limit, 'the limit holds')
      key.lastEntered = Math.max(key.lastEntered, call)
      await pause()
      key.inside--
      guard.release()
    }
    const abortSoon = () => {
      const controller = new AbortController()
      pause().then(() => controller.abort(Object.assign(new Error('stop'), { code: 'abort' })))
      return controller.signal
    }
    const ways = [
      (key, cb) => lockOf(key).synchronized(cb),
      (key, cb) => lockOf(key).synchronized({ cb, isCanceled: () => below(3) === 0 }),
      (key, cb) => lockOf(key).synchronized({ cb, signal: abortSoon() }),
      (key, cb) => lockOf(key).timeout(below(4)).synchronized(cb),
      (key, cb) => lockOf(key).timeout(below(4), { signal: abortSoon() }).synchronized(cb),
      (key, cb) => lockOf(key).throttle().synchronized(cb),
      (key, _, call) => guarded(key, call, {}),
      (key, _, call) => guarded(key, call, { timeout: below(3), signal: abortSoon() }),
    ]

    const runs = []
    for (let i = 0; i < 4000; i++) {
      const key = keys[below(keys.length)]
      const call = key.calls++
      const way = ways[below(ways.length)]
      runs.push(
        outcome(() => way(key, () => enter(key, call), call)).then(({ reason }) => {
          const code = reason === undefined ? 'none' : (reason.code ?? reason)
          codes.set(code, (codes.get(code) ?? 0) + 1)
        }),
      )
      if (below(20) === 0) await pause()
      if (below(400) === 0) await gc()
    }
    await settlesWithin(Promise.all(runs), 9000)

    t.deepEqual([...codes.keys()].sort(), ['Cancel', 'Throttle', 'Timeout', 'abort', 'boom', 'none'])
    for (const key of keys) {
      t.is(key.inside, 0)
      t.deepEqual(
        { ...lockOf(key).stats },
        { maxConcurrentExecution: key.limit, numberOfTasks: 0, numberOfRunningTasks: 0 },
      )
    }
    t.true(await gcUntil(() => provider.numberOfKeys === 0))
  })
}
