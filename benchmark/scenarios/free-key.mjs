// What a lock by key costs when nobody holds the key: the lock is looked up for every call, as programs do, among
// a few keys in turn. Always inside an AsyncLocalStorage, which re-entry needs.

import { BARE_LOOP, bareLoop, taskSource } from '../bare-loop.mjs'
import { expectCalls, nanosecondsPer } from '../measure.mjs'
import { PRODUCT, keyedLocks } from '../peers.mjs'

const keys = Array.from({ length: 64 }, (_, i) => `key:${i}`)

const loopFor = async (row, executor) => {
  if (row === BARE_LOOP) return (count) => bareLoop(taskSource(count), executor)
  const { run } = await keyedLocks[row]()
  return async (count) => {
    for (let i = 0; i < count; i++) await run(keys[i % keys.length], executor)
  }
}

const measure = async (row, calls) => {
  let done = 0
  const loop = await loopFor(row, async () => {
    done++
  })
  await loop(calls / 10)
  const ns = await nanosecondsPer(calls, () => loop(calls))
  expectCalls(done, calls + calls / 10)
  return { ns }
}

export default {
  name: 'free-key',
  title: 'a free lock by key (here forKey(k).synchronized, re-entry on)',
  contexts: ['als'],
  rows: [PRODUCT, 'async-mutex', 'async-lock', 'p-limit', BARE_LOOP],
  unit: 'call',
  calls: 200_000,
  canShorten: true,
  measure,
}
