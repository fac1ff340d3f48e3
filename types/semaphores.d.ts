// Semaphores: the least that limits concurrency.

import type { SynchronizerEventType } from './events.js'

/** What `CoreSemaphore` and `Semaphore` have in common. */
export interface ISemaphore {
  synchronized<T>(cb: () => Promise<T>): Promise<T>
  waitComplete(): Promise<void>
  waitCompleteAll(): Promise<void>
  get numberOfRunningTasks(): number
  get numberOfTasks(): number
}

/**
 * A semaphore without re-entry and events: the least that limits concurrency, and the fastest.
 * Order is first come, first served.
 *
 * @example
 * const semaphore = new CoreSemaphore(2)
 * const pages = await Promise.all(urls.map((url) => semaphore.synchronized(() => load(url))))
 */
export class CoreSemaphore implements ISemaphore {
  /**
   * @param concurrentExecution how many callbacks may run at the same time
   * @throws {SynchronizerInvalidError} if that is not an integer of at least 1
   */
  constructor(concurrentExecution: number)

  readonly concurrentExecution: number

  /**
   * Runs `cb` when a permit is free, at once if there is one already, and settles as `cb` does. A
   * callback that throws before it returns its promise settles like one whose promise rejects.
   * Calling it again from inside `cb` waits for another permit, and for ever if there is just one.
   */
  synchronized<T>(cb: () => Promise<T>): Promise<T>

  /** Resolves when the next callback has ended and the one after it has started; at once if there is none. */
  waitComplete(): Promise<void>

  /** Resolves when no callback waits or runs any more, including those added meanwhile; at once if there is none. */
  waitCompleteAll(): Promise<void>

  /** How many callbacks run. */
  get numberOfRunningTasks(): number

  /** How many callbacks wait or run. */
  get numberOfTasks(): number
}

/**
 * A semaphore that knows when it is entered again from inside. A callback never starts within the
 * call of `synchronized` itself.
 *
 * @example
 * const lock = new Semaphore(1)
 * await lock.synchronized(async () => {
 *   await lock.synchronized(async (isReentrant) => {
 *     // isReentrant is true: passed straight through instead of waiting for itself
 *   })
 * })
 */
export class Semaphore extends CoreSemaphore {
  /**
   * @param concurrentExecution how many callbacks may run at the same time
   * @param raiseOnReentrant refuse to be entered from inside (default `false`: pass straight through)
   * @throws {SynchronizerInvalidError} if `concurrentExecution` is not an integer of at least 1
   */
  constructor(concurrentExecution: number, raiseOnReentrant?: boolean)

  readonly raiseOnReentrant: boolean

  /**
   * Runs `cb` when a permit is free, and settles as `cb` does.
   *
   * Rejects with `SynchronizerReentrantExecutionError` when entered from inside under
   * `raiseOnReentrant`, with `SynchronizerThrottleError` when `throttle` is set and no permit is
   * free, and with a `SynchronizerError` of code `Cancel` when `isCanceled()` is true.
   */
  synchronized<T>(
    cb: (isReentrant: boolean) => Promise<T>,
    params?: {
      /** Called for every event of this execution. */
      onEvent?: (type: SynchronizerEventType) => void
      /** Asked once, when the permit is granted: `true` gives it back without running `cb`. */
      isCanceled?: () => boolean
      /** Reject at once if no permit is free (default `false`: wait). */
      throttle?: boolean
    },
  ): Promise<T>
}

// ---------------------------------------------------------------------------------------------
