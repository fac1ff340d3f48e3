// What a permit costs that nobody else wants: `acquire` and `release`, one after the other, in either scope.

import { nanosecondsPer } from '../../measure.mjs'
import { loadProduct } from '../../product.mjs'
import { atMost, times } from '../../required.mjs'

const THREAD = 'thread scope'
const PROCESS = 'process scope'

const providers = {
  [THREAD]: { providerId: 'benchmark' },
  [PROCESS]: { providerId: 'benchmark', scope: 'process' },
}

const measure = async (row, calls) => {
  const { SynchronizerProvider } = await loadProduct()
  const lock = new SynchronizerProvider(providers[row]).forKey('key')
  const loop = async (count) => {
    for (let i = 0; i < count; i++) (await lock.acquire()).release()
  }
  await loop(calls / 10)
  return { nanoseconds: await nanosecondsPer(calls, () => loop(calls)) }
}

export default {
  title: 'acquire and release of a free key',
  rows: [THREAD, PROCESS],
  columns: [{ field: 'nanoseconds', title: 'ns/call' }],
  rounds: 3,
  calls: 200_000,
  measure,
  required: [
    { claim: 'process scope, times thread scope', ...atMost(2, 'x'), measure: times(PROCESS, THREAD, 'nanoseconds') },
  ],
}
