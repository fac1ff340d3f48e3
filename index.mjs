// The ES module face: the very objects of the CommonJS one, so that both share one state and one identity of every class.
import face from './index.js'

export const {
  CachedProvider,
  CoreSemaphore,
  LazyInitializer,
  ProcessMonitor,
  Semaphore,
  Synchronizer,
  SynchronizerError,
  SynchronizerInvalidError,
  SynchronizerProvider,
  SynchronizerReentrantExecutionError,
  SynchronizerThrottleError,
  SynchronizerTimeoutError,
  WeakIndexMap,
  mergeAsyncGenerators,
  rebatchTasks,
  toTasks,
} = face
