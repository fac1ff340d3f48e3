// Programs that must not compile. An unused @ts-expect-error is an error itself.
import {
  CachedProvider,
  CoreSemaphore,
  LazyInitializer,
  SynchronizerInvalidError,
  SynchronizerProvider,
  WeakIndexMap,
  mergeAsyncGenerators,
  rebatchTasks,
  toTasks,
} from 'ya-syn-native'
import type { SynchronizerProviderParams, SynchronizerTask, SynchronizerTaskExecutorParams } from 'ya-syn-native'

const sp = new SynchronizerProvider()
const s = sp.forKey('key')
const taskExecutor = async (): Promise<void> => {}

export async function refused(): Promise<void> {
  // @ts-expect-error a limit is a number
  new CoreSemaphore('2')
  // @ts-expect-error a semaphore needs its limit
  new CoreSemaphore()
  // @ts-expect-error a key is a string
  sp.forKey(1)
  // @ts-expect-error an object is not a primitive
  sp.forObject('key')
  // @ts-expect-error there are two scopes
  new SynchronizerProvider({ providerId: 'p', scope: 'machine' })
  // @ts-expect-error ya-syn's own type knows no scope
  const unscoped: SynchronizerProviderParams = { providerId: 'p', scope: 'process' }
  // @ts-expect-error the provider's id comes from the provider
  sp.createSynchronizer({ providerId: 'p' })
  // @ts-expect-error a callback returns a promise
  await s.synchronized(() => 1)
  // @ts-expect-error the long form needs cb
  await s.synchronized({ executionId: 'e' })
  // @ts-expect-error a signal is an AbortSignal
  await s.synchronized({ cb: async () => {}, signal: {} })
  // @ts-expect-error timeout needs its milliseconds
  s.timeout()
  // @ts-expect-error a view cannot be narrowed again
  s.timeout(1).throttle()
  // @ts-expect-error stats are read-only
  s.stats.numberOfTasks = 0
  // @ts-expect-error released is read-only
  ;(await s.acquire()).released = true
  // @ts-expect-error no such event
  s.emitEvent('Start', { providerId: '', synchronizerId: '', executionId: '' })
  // @ts-expect-error maxTasksInFlight is required
  await sp.executeTasks({ taskSource: toTasks([1]), taskExecutor })
  // @ts-expect-error the executor is required
  await sp.executeTasks({ maxTasksInFlight: 1, taskSource: toTasks([1]) })
  // @ts-expect-error a source yields { task }
  await sp.executeTasks({ maxTasksInFlight: 1, taskSource: [1, 2], taskExecutor })
  // @ts-expect-error a number is no source
  await sp.executeTasks({ maxTasksInFlight: 1, taskSource: 5, taskExecutor })
  // @ts-expect-error the executor takes another kind of task
  await sp.executeTasks<number>({ maxTasksInFlight: 1, taskSource: toTasks(['a']), taskExecutor })
  // @ts-expect-error executeTasks resolves with nothing
  const n: number = await sp.executeTasks({ maxTasksInFlight: 1, taskSource: toTasks([1]), taskExecutor })
  await sp.executeTasks({
    maxTasksInFlight: 1,
    taskSource: toTasks([1]),
    taskExecutor,
    // @ts-expect-error a key is a string
    limitPerKey: { key: (task: number) => task, maxTasksInExecution: 1 },
  })
  const narrow: SynchronizerTaskExecutorParams<number> = {
    maxTasksInFlight: 1,
    // @ts-expect-error ya-syn's own type stays as narrow as it is there
    taskSource: [{ task: 1 }],
    taskExecutor,
  }
  // @ts-expect-error the task has no other fields
  const task: SynchronizerTask<number> = { task: 1, key: 'k' }
  // @ts-expect-error only arrays can be cut anew
  rebatchTasks(toTasks([1, 2]), 2)
  // @ts-expect-error generators, not arrays
  mergeAsyncGenerators([[1], [2]])
  // @ts-expect-error a factory is a function
  new LazyInitializer(Promise.resolve(1))
  // @ts-expect-error a cached provider needs its synchronizers
  new CachedProvider({ factory: async () => 1 })
  // @ts-expect-error only objects can be held weakly
  new WeakIndexMap({ toKey: (n: number) => String(n), toIndex: (n: number) => n })
  // @ts-expect-error isGarbageCollected is for subclasses
  new WeakIndexMap({ toKey: String, toIndex: () => ({}) }).isGarbageCollected()
  // @ts-expect-error an Invalid error needs its message
  new SynchronizerInvalidError()
  return void [n, narrow, task, unscoped]
}
