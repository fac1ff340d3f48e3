// The libraries that the benchmarks compare, brought to three common shapes:
//
//   semaphores  load() -> (limit) -> run(cb)                        at most `limit` callbacks at once
//   keyedLocks  load() -> { run(key, cb), entries() }               one callback at once per key
//   pipelines   load() -> (source, executor, limits) -> Promise     every task of a source, so many at once
//
// `load` imports the one library that a process measures, so that no other one can colour the figure.
// A library that has no keys of its own gets the table that its users write around it: a Map.

import { PRODUCT, loadProduct } from '../../../product.mjs'

/** A Map of locks made on first use, for libraries that know no keys. */
const lockTable = (makeLock) => {
  const locks = new Map()
  return {
    run(key, cb) {
      let lock = locks.get(key)
      if (lock === undefined) locks.set(key, (lock = makeLock()))
      return lock(cb)
    },
    entries: () => locks.size,
  }
}

const semaphores = {
  async [PRODUCT]() {
    const { CoreSemaphore } = await loadProduct()
    return (limit) => {
      const semaphore = new CoreSemaphore(limit)
      return (cb) => semaphore.synchronized(cb)
    }
  },
  async 'async-sema'() {
    const { Sema } = await import('async-sema')
    return (limit) => {
      const sema = new Sema(limit)
      return async function withSema(cb) {
        await sema.acquire()
        try {
          return await cb()
        } finally {
          sema.release()
        }
      }
    }
  },
  async 'p-limit'() {
    const { default: pLimit } = await import('p-limit')
    return (limit) => pLimit(limit)
  },
  async 'async-mutex'() {
    const { Semaphore } = await import('async-mutex')
    return (limit) => {
      const semaphore = new Semaphore(limit)
      return (cb) => semaphore.runExclusive(cb)
    }
  },
  async 'p-queue'() {
    const { default: PQueue } = await import('p-queue')
    return (limit) => {
      const queue = new PQueue({ concurrency: limit })
      return (cb) => queue.add(cb)
    }
  },
  async 'async-lock'() {
    const { default: AsyncLock } = await import('async-lock')
    return () => {
      const lock = new AsyncLock({ maxPending: Infinity })
      return (cb) => lock.acquire('key', cb)
    }
  },
}

const keyedLocks = {
  async [PRODUCT]() {
    const { SynchronizerProvider } = await loadProduct()
    const provider = new SynchronizerProvider()
    return {
      run: (key, cb) => provider.forKey(key).synchronized(cb),
      entries: () => provider.numberOfKeys,
    }
  },
  async 'async-mutex'() {
    const { Mutex } = await import('async-mutex')
    return lockTable(() => {
      const mutex = new Mutex()
      return (cb) => mutex.runExclusive(cb)
    })
  },
  async 'async-lock'() {
    const { default: AsyncLock } = await import('async-lock')
    const lock = new AsyncLock({ maxPending: Infinity })
    return {
      run: (key, cb) => lock.acquire(key, cb),
      entries: () => Object.keys(lock.queues).length,
    }
  },
  async 'p-limit'() {
    const { default: pLimit } = await import('p-limit')
    return lockTable(() => pLimit(1))
  },
}

const pipelines = {
  async [PRODUCT]() {
    const { SynchronizerProvider } = await loadProduct()
    const provider = new SynchronizerProvider()
    return (taskSource, taskExecutor, { maxTasksInFlight, maxTasksInExecution }) =>
      provider.executeTasks({ maxTasksInFlight, maxTasksInExecution, taskSource, taskExecutor })
  },
  async 'p-map'() {
    const { default: pMap } = await import('p-map')
    return (source, executor, { maxTasksInExecution }) => pMap(source, executor, { concurrency: maxTasksInExecution })
  },
  async 'p-limit'() {
    const { default: pLimit } = await import('p-limit')
    return async (source, executor, { maxTasksInExecution }) => {
      const limit = pLimit(maxTasksInExecution)
      const pending = []
      for await (const task of source) pending.push(limit(executor, task))
      await Promise.all(pending)
    }
  },
  async 'p-queue'() {
    const { default: PQueue } = await import('p-queue')
    return async (source, executor, { maxTasksInFlight, maxTasksInExecution }) => {
      const queue = new PQueue({ concurrency: maxTasksInExecution })
      for await (const task of source) {
        queue.add(() => executor(task))
        if (queue.size >= maxTasksInFlight) await queue.onSizeLessThan(maxTasksInFlight)
      }
      await queue.onIdle()
    }
  },
  async 'streaming-iterables'() {
    const { parallelMap } = await import('streaming-iterables')
    return async (source, executor, { maxTasksInExecution }) => {
      const results = parallelMap(maxTasksInExecution, executor, source)
      while (!(await results.next()).done);
    }
  },
}

export { semaphores, keyedLocks, pipelines }
