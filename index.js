'use strict'

// The package for `require`; `index.mjs` gives `import` the same objects.

const { CachedProvider } = require('./lib/cached-provider.js')
const { CoreSemaphore } = require('./lib/core-semaphore.js')
const {
  SynchronizerError,
  SynchronizerInvalidError,
  SynchronizerReentrantExecutionError,
  SynchronizerThrottleError,
  SynchronizerTimeoutError,
} = require('./lib/errors.js')
const { LazyInitializer } = require('./lib/lazy-initializer.js')
const { mergeAsyncGenerators } = require('./lib/merge-async-generators.js')
const { ProcessMonitor } = require('./lib/process-monitor.js')
const { Semaphore } = require('./lib/semaphore.js')
const { Synchronizer } = require('./lib/synchronizer.js')
const { SynchronizerProvider } = require('./lib/synchronizer-provider.js')
const { rebatchTasks, toTasks } = require('./lib/task-sources.js')
const { WeakIndexMap } = require('./lib/weak-index-map.js')

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
