'use strict'

// The package for `require`; `index.mjs` gives `import` the same objects.

const { CachedProvider } = require('./lib/values/cached-provider.js')
const { CoreSemaphore } = require('./lib/locks/core-semaphore.js')
const {
  SynchronizerError,
  SynchronizerInvalidError,
  SynchronizerReentrantExecutionError,
  SynchronizerThrottleError,
  SynchronizerTimeoutError,
} = require('./lib/base/errors.js')
const { LazyInitializer } = require('./lib/values/lazy-initializer.js')
const { mergeAsyncGenerators } = require('./lib/sources/merge-async-generators.js')
const { ProcessMonitor } = require('./lib/values/process-monitor.js')
const { Semaphore } = require('./lib/locks/semaphore.js')
const { Synchronizer } = require('./lib/locks/synchronizer.js')
const { SynchronizerProvider } = require('./lib/synchronizer-provider.js')
const { rebatchTasks, toTasks } = require('./lib/sources/task-sources.js')
const { WeakIndexMap } = require('./lib/values/weak-index-map.js')

// Names alone, so that Node finds the exports without running the file.
module.exports = {
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
}
