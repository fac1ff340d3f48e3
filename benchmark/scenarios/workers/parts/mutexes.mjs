// The locks between threads that the benchmark compares, brought to one shape: load(buffer) -> run(cb), which every thread
// calls for itself. `buffer` is shared memory of the one lock that a measurement uses.

import worker from 'node:worker_threads'
import { PRODUCT, loadProduct } from '../../../product.mjs'

const WAIT_ASYNC = 'Atomics.waitAsync'
const LOCKS = 'worker_threads.locks'

const FREE = 0
const HELD = 1
const HELD_AND_WAITED_FOR = 2

const mutexes = {
  async [PRODUCT]() {
    const { SynchronizerProvider } = await loadProduct()
    const lock = new SynchronizerProvider({ providerId: 'benchmark', scope: 'process' }).forKey('key')
    return (cb) => lock.synchronized(cb)
  },

  /** The mutex that one can write in JavaScript alone. It is not fair: whoever comes may overtake those who wait. */
  async [WAIT_ASYNC](buffer) {
    const state = new Int32Array(buffer)
    return async (cb) => {
      if (Atomics.compareExchange(state, 0, FREE, HELD) !== FREE) {
        while (Atomics.exchange(state, 0, HELD_AND_WAITED_FOR) !== FREE)
          await Atomics.waitAsync(state, 0, HELD_AND_WAITED_FOR).value
      }
      try {
        return await cb()
      } finally {
        if (Atomics.exchange(state, 0, FREE) === HELD_AND_WAITED_FOR) Atomics.notify(state, 0, 1)
      }
    }
  },

  /** Part of Node.js since 24.5. */
  async [LOCKS]() {
    return (cb) => worker.locks.request('key', cb)
  },
}

/** What the scenarios that compare these locks have in common. */
const betweenThreads = {
  rows: [PRODUCT, WAIT_ASYNC, LOCKS],
  rounds: 3,
  peers: async () => ({ skipped: worker.locks === undefined ? { [LOCKS]: 'it needs Node.js 24.5' } : {} }),
}

export { WAIT_ASYNC, betweenThreads, mutexes }
