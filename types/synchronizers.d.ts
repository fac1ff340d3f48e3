// Synchronizers: how they are set up, entered and held.

/// <reference lib="esnext.disposable" />

import type {
  SynchronizerCallback,
  SynchronizerContext,
  SynchronizerEventListener,
  SynchronizerEventType,
  SynchronizerStats,
} from './events.js'

/** How a `SynchronizerProvider` is set up. */
export type SynchronizerProviderParams = {
  /** Shown in errors and events. Default: a UUID. */
  readonly providerId?: string
  /** Told every event of every synchronizer of this provider. */
  readonly onEvent?: SynchronizerEventListener
}

/** How a `Synchronizer` is set up. */
export type SynchronizerParams = SynchronizerProviderParams &
  Partial<Pick<SynchronizerStats, 'maxConcurrentExecution'>> & {
    /** Shown in errors and events. Default: a UUID. */
    readonly synchronizerId?: string
    /** Refuse to be entered from inside its own section. Default `false`: pass straight through. */
    readonly raiseOnReentrant?: boolean
  }

/**
 * Who shares the limits and queues of a synchronizer.
 *
 * - `'thread'`: whoever has the same object, in one thread.
 * - `'process'`: all threads of the process, by id. Order is first come, first served over all of them.
 */
export type SynchronizerScope = 'thread' | 'process'

/** How a `SynchronizerProvider` is set up that may share its keys with other threads. */
export type ScopedSynchronizerProviderParams = SynchronizerProviderParams & {
  /**
   * `'process'`: providers of the same `providerId` in any thread (the main thread, workers) share their keys, with limits,
   * queues and counters. Default `'thread'`: this provider has its keys for itself.
   *
   * - It needs a `providerId`.
   * - `forObject` stays local: an object is known to one thread only.
   * - `stats` and `numberOfKeys` are those of the whole process. `onEvent` hears of the executions of this thread, with the
   *   stats of the whole process.
   * - Re-entry follows the async context, so it never passes from one thread to another; two providers of one id in one thread
   *   are the same lock. Every execution has an `executionId` of its own, in whatever thread.
   * - A thread stays alive while it waits for a permit that another one has. When a thread ends, however it does, its permits
   *   go to the next who wait, and its waiters leave the queues.
   * - Each process has a scope of its own: processes made by `child_process.fork` or `cluster` share nothing.
   */
  readonly scope?: SynchronizerScope
}

/** How a `Synchronizer` is set up that other threads may share. */
export type ScopedSynchronizerParams = SynchronizerParams & {
  /**
   * `'process'`: synchronizers of the same `synchronizerId` in any thread are one; it needs a `synchronizerId`. What
   * `ScopedSynchronizerProviderParams` says of sharing holds here too. Default: `'thread'`, or the provider's scope if the
   * provider makes it and a `synchronizerId` is given.
   */
  readonly scope?: SynchronizerScope
}

/** The long form of what `synchronized` takes. */
export interface SynchronizedParams<T> {
  /** What to run. */
  readonly cb: SynchronizerCallback<T>
  /** Names this execution in events and errors. Default: a UUID-shaped string, unique in the process. */
  readonly executionId?: string
  /**
   * Asked once, when the permit is granted: `true` gives it back without running `cb` and rejects with a
   * `SynchronizerError` of code `Cancel`. To stop waiting at any moment, use `signal`.
   */
  readonly isCanceled?: () => boolean
  /** Reject at once with `SynchronizerThrottleError` if no permit is free. Default `false`: wait. */
  readonly throttle?: boolean
  /**
   * Ends the wait: rejects with `signal.reason`, `cb` never runs, and its place in the queue is free at
   * once. Once `cb` runs it is left alone; give it the same signal to stop it.
   *
   * It is listened to only while the call waits, beside that of a `timeout()` or `throttle()` view. To join signals
   * yourself, avoid `AbortSignal.any()` with `AbortSignal.timeout()` on Node.js 20: after a garbage collection the
   * joined signal may never abort. Use `timeout(ms)` and one signal instead.
   */
  readonly signal?: AbortSignal | undefined
}

/** What `timeout()` and `throttle()` return: the same synchronizer, entered on other terms. */
export interface SynchronizerView {
  /** The synchronizer's own stats. */
  get stats(): Readonly<SynchronizerStats>
  /** As `Synchronizer.synchronized`, under the terms of this view. */
  synchronized<T>(params: SynchronizerCallback<T> | SynchronizedParams<T>): Promise<T>
}

/** On what terms `acquire` waits. */
export interface AcquireParams {
  /** Ends the wait: `acquire` rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined
  /** How long to wait at most, in milliseconds. Default: as long as it takes. */
  readonly timeout?: number | undefined
}

/** A permit held by hand, until it is released. */
export interface SynchronizerGuard extends Disposable, AsyncDisposable {
  /** Whether the permit was given back. */
  readonly released: boolean
  /** Gives the permit back. Calling it again does nothing. */
  release(): void
  /** As `release()`; called at the end of a block with `using`. */
  [Symbol.dispose](): void
  /** As `release()`; called at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A lock, or a semaphore if `maxConcurrentExecution` is above 1, with events and re-entry: a section
 * that runs inside the same synchronizer's section passes straight through. "Inside" follows the
 * async context and ends with the section: work left running after it queues like any other.
 *
 * Get one from a `SynchronizerProvider`.
 *
 * @example
 * const user = provider.forKey(`user:${id}`)
 * await user.synchronized(async () => {
 *   const row = await db.load(id)
 *   await db.save(id, { ...row, visits: row.visits + 1 })
 * })
 */
export class Synchronizer {
  /**
   * @throws {SynchronizerInvalidError} if `maxConcurrentExecution` is not an integer of at least 1, or if `scope` is
   *   `'process'` and `synchronizerId` is missing
   */
  constructor(params?: ScopedSynchronizerParams)

  readonly params: SynchronizerParams

  get providerId(): string

  get synchronizerId(): string

  /** The state right now; reading it again gives the newer state. */
  get stats(): Readonly<SynchronizerStats>

  /**
   * Waits for a permit, runs the callback and settles as the callback does. Order is first come,
   * first served, and the callback sees its caller's async context. It never starts within the call
   * itself.
   *
   * Rejects with `SynchronizerReentrantExecutionError` when called from inside under
   * `raiseOnReentrant`; see `SynchronizedParams` for the other ways to be refused.
   *
   * @example
   * const total = await synchronizer.synchronized(async () => count())
   *
   * @example
   * await synchronizer.synchronized({ cb: () => refresh(), signal: AbortSignal.timeout(5000) })
   */
  synchronized<T>(params: SynchronizerCallback<T> | SynchronizedParams<T>): Promise<T>

  /**
   * The same synchronizer, waiting `ms` milliseconds at most: after that it rejects with
   * `SynchronizerTimeoutError`. It bounds waiting and never cuts a running callback short. `0`, a
   * negative number and `NaN` mean "only if free now"; `Infinity` waits as long as it takes.
   *
   * @example
   * await synchronizer.timeout(100).synchronized(() => update())
   */
  timeout(
    ms: number,
    params?: {
      /** Ends every wait of this view with `signal.reason`; a call may have a signal of its own beside it. */
      readonly signal?: AbortSignal | undefined
    },
  ): SynchronizerView

  /**
   * The same synchronizer, never waiting: rejects at once with `SynchronizerThrottleError` if no
   * permit is free.
   *
   * @example
   * await synchronizer.throttle().synchronized(() => update())
   */
  throttle(params?: {
    /** Rejects with `signal.reason` if it has aborted. */
    readonly signal?: AbortSignal | undefined
  }): SynchronizerView

  /**
   * Waits for a permit and hands it over, for sections that are not one function.
   *
   * A guard leaves no mark of being inside. So `synchronized` and `acquire` under a held guard wait for another
   * permit, and `acquire` inside this synchronizer's own `synchronized` section rejects with
   * `SynchronizerReentrantExecutionError`, since it would wait for itself.
   *
   * Rejects with `SynchronizerTimeoutError` after `timeout`, and with `signal.reason` on abort.
   *
   * @example
   * using guard = await synchronizer.acquire({ timeout: 1000 })
   * // released at the end of the block
   *
   * @example
   * const guard = await synchronizer.acquire()
   * try {
   *   await work()
   * } finally {
   *   guard.release()
   * }
   */
  acquire(params?: AcquireParams): Promise<SynchronizerGuard>

  /** Tells the listener about an event. It changes no counter and no permit. */
  emitEvent(type: SynchronizerEventType, context: SynchronizerContext): void
}
