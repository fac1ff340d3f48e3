// The errors that the library makes itself.

import type { SynchronizerContext } from './events.js'

/** The `code` of the errors that the library makes itself. */
export type SynchronizerErrorCode = 'Timeout' | 'Throttle' | 'Invalid' | 'ReentrantExecution' | 'Cancel'

/**
 * The base of all errors that the library makes. `name` is the class's name, and the message names
 * provider, synchronizer and execution where there are any. An error thrown by a callback is passed
 * on as it is and never wrapped.
 */
export class SynchronizerError extends Error {
  constructor(params: {
    readonly message?: string
    readonly code: string
    readonly context?: Readonly<SynchronizerContext>
  })

  /** What was passed to the constructor. */
  readonly params: {
    readonly message?: string
    readonly code: string
    readonly context?: Readonly<SynchronizerContext>
  }

  /** A `SynchronizerErrorCode`, or whatever a subclass of yours passes. */
  get code(): SynchronizerErrorCode | (string & {})

  /** The execution concerned, if there is one. */
  get context(): Readonly<SynchronizerContext> | undefined
}

/** Code `Timeout`: the wait for a permit took longer than `timeout(ms)` allows. */
export class SynchronizerTimeoutError extends SynchronizerError {
  constructor(context?: Readonly<SynchronizerContext>)
}

/** Code `Throttle`: `throttle()` was asked for, and no permit was free. */
export class SynchronizerThrottleError extends SynchronizerError {
  constructor(context?: Readonly<SynchronizerContext>)
}

/** Code `Invalid`: an argument is wrong. The message names the argument, its value and what is expected. */
export class SynchronizerInvalidError extends SynchronizerError {
  constructor(message: string, context?: Readonly<SynchronizerContext>)
}

/** Code `ReentrantExecution`: the caller is inside the section that it asks for, where that is not allowed. */
export class SynchronizerReentrantExecutionError extends SynchronizerError {
  constructor(context?: Readonly<SynchronizerContext>)
}

// ---------------------------------------------------------------------------------------------
