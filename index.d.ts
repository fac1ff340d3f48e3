// The public types of ya-syn-native, written by hand: this is what an editor shows.
//
// All that ya-syn has keeps the exact shape it has there, so that its programs compile unchanged;
// what is wider here has a type of its own (`ExecuteTasksParams` beside `SynchronizerTaskExecutorParams`).
// Times are in milliseconds throughout. Limits are integers from 1 to `Number.MAX_VALUE`; anything
// else is refused with a `SynchronizerInvalidError`.

/// <reference lib="es2018.asyncgenerator" />
/// <reference lib="esnext.disposable" />

declare global {
  // Merges with the `AbortSignal` of `lib.dom` or of `@types/node`, and stands in where a program has neither.
  interface AbortSignal {
    readonly aborted: boolean
  }
}

export * from './types/events.js'
export * from './types/errors.js'
export * from './types/semaphores.js'
export * from './types/synchronizers.js'
export * from './types/provider.js'
export * from './types/pipeline.js'
export * from './types/sources.js'
export * from './types/values.js'
export * from './types/process.js'
