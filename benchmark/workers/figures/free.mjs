// What a permit costs that nobody else wants: `acquire` and `release`, one after the other, in either scope.

import { nanosecondsPer } from '../../measure.mjs'

const THREAD = 'thread scope'
const PROCESS = 'process scope'

const providers = {
  [THREAD]: { providerId: 'benchmark' },
  [PROCESS]: { providerId: 'benchmark', scope: 'process' },
}

const measure = async (row, calls) => {
  const { SynchronizerProvider } = (await import('../../../index.js')).default
  const lock = new SynchronizerProvider(providers[row]).forKey('key')
  const loop = async (count) => {
    for (let i = 0; i < count; i++) (await lock.acquire()).release()
  }
  await loop(calls / 10)
  return { nanoseconds: await nanosecondsPer(calls, () => loop(calls)) }
}

const free = {
  name: 'free',
  title: 'acquire and release of a free key',
  rows: [THREAD, PROCESS],
  columns: ['nanoseconds'],
  calls: 200_000,
  measure,
}

export { PROCESS, THREAD, free }
