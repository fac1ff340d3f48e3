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

// ---------------------------------------------------------------------------------------------
// What a synchronizer tells about itself
// ---------------------------------------------------------------------------------------------

/** How full a synchronizer is. */
export type SynchronizerStats = {
  /** How many callbacks may run at the same time. */
  maxConcurrentExecution: number
  /** How many callbacks wait or run. */
  numberOfTasks: number
  /** How many callbacks run. */
  numberOfRunningTasks: number
}

/** Names one execution of one callback; given to the callback, to listeners, and to errors. */
export type SynchronizerContext = {
  /** The provider's id, or a UUID where none was given. */
  providerId: string
  /** The synchronizer's id: `id:<n> key:<key>`, `id:<n> obj:<constructor name>`, the one given, or a UUID. */
  synchronizerId: string
  /** The `executionId` given to `synchronized`, or a UUID-shaped string that is unique in the process. */
  executionId: string
}

/** What runs inside a synchronizer. The permit is held until the returned promise settles. */
export type SynchronizerCallback<T> = (context: SynchronizerContext) => Promise<T>

/**
 * What happened to an execution, and what that did to (`numberOfTasks`, `numberOfRunningTasks`):
 *
 * | run | events |
 * |---|---|
 * | normal | `Acquire` (+1, 0), `Acquired` (0, +1), `Release` (-1, -1), `Finish` (0, 0) |
 * | re-entrant | `Enter`, `Exit`, `Finish`, none of which counts |
 * | refused by `throttle()` | `Throttle` alone |
 * | waited too long, or its signal aborted meanwhile | `Acquire` (+1, 0), then `Timeout` or `Cancel` (-1, 0) |
 * | `isCanceled()` said yes | `Acquire` (+1, 0), `Cancel` (-1, 0) |
 */
export type SynchronizerEventType =
  | 'Acquire'
  | 'Acquired'
  | 'Cancel'
  | 'Enter'
  | 'Exit'
  | 'Release'
  | 'Finish'
  | 'Timeout'
  | 'Throttle'

/** What a `SynchronizerEventListener` is given. */
export type SynchronizerEvent = {
  readonly type: SynchronizerEventType
  /** A snapshot taken right after the event; it does not change later. */
  readonly stats: Readonly<SynchronizerStats>
  readonly context: Readonly<SynchronizerContext>
}

/**
 * Called synchronously for every event. A listener that throws never disturbs the lock: its error is
 * shown with `process.emitWarning`.
 */
export type SynchronizerEventListener = (event: SynchronizerEvent) => void

// ---------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------

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
// Semaphores
// ---------------------------------------------------------------------------------------------

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
// Synchronizers
// ---------------------------------------------------------------------------------------------

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

/**
 * Where synchronizers come from: by key, by object, or one at a time. Each provider has its own keys, unless its `scope` is
 * `'process'`.
 *
 * @example
 * const provider = new SynchronizerProvider()
 *
 * function rename(id: string, name: string): Promise<void> {
 *   return provider.forKey(id).synchronized(() => store.rename(id, name))
 * }
 *
 * @example
 * // In every worker thread: a user's files are changed by one worker at a time.
 * const users = new SynchronizerProvider({ providerId: 'users', scope: 'process' })
 * await users.forKey(id).synchronized(() => rewriteFiles(id))
 */
export class SynchronizerProvider {
  /** @throws {SynchronizerInvalidError} if `scope` is `'process'` and `providerId` is missing */
  constructor(params?: ScopedSynchronizerProviderParams)

  /** What was passed to the constructor. */
  readonly params?: SynchronizerProviderParams

  /** How many keys have an entry now, in all threads for process scope. A key that nobody holds, waits for or references loses its entry. */
  get numberOfKeys(): number

  /** The next of this provider's numbers, as used in synchronizer ids. */
  nextId(): number

  /**
   * The synchronizer of a key: the same object for the same key while it is referenced or busy. Keys
   * are compared code unit by code unit.
   *
   * @param maxConcurrentExecution default 1; it counts for the first call of a key, and a later call's is
   *   ignored while the key has its entry
   * @throws {SynchronizerInvalidError} if the limit is not an integer of at least 1
   */
  forKey(key: string, maxConcurrentExecution?: number): Synchronizer

  /**
   * The synchronizer of an object, compared by identity. It does not keep the object alive.
   *
   * @param maxConcurrentExecution default 1; as for `forKey`, the first call of an object counts
   * @throws {SynchronizerInvalidError} if the limit is not an integer of at least 1
   */
  forObject(obj: object, maxConcurrentExecution?: number): Synchronizer

  /**
   * A new synchronizer with no key. What is not given comes from the provider; `maxConcurrentExecution`
   * defaults to 1.
   *
   * @throws {SynchronizerInvalidError} if the limit is not an integer of at least 1
   */
  createSynchronizer(params?: Omit<ScopedSynchronizerParams, 'providerId'>): Synchronizer

  /**
   * A value that is loaded when asked for and kept for a while; one load at a time.
   *
   * @example
   * const rates = provider.createCachedProvider({ factory: () => fetchRates(), defaultTTL: 60_000 })
   * const { usd } = await rates.get()
   */
  createCachedProvider<T>(params: CachedProviderParams<T>): CachedProvider<T>

  /**
   * Pulls tasks from a source and runs them, a bounded number at a time.
   *
   * At most `maxTasksInFlight` tasks are pulled and unfinished, at most `maxTasksInExecution` of them run,
   * and one `next()` of the source is outstanding at a time. Resolves when the source is done and all
   * tasks have settled.
   *
   * - A task that fails goes to `onTaskError`, and the rest goes on.
   * - A source that fails makes it reject with that very error, once all tasks pulled before have settled.
   * - An abort makes it reject with `signal.reason` once the running tasks have settled; tasks pulled
   *   but not started are dropped.
   * - When it ends early it closes the source with `return()`, once, and waits for that 100 ms at most.
   *
   * Rejects with `SynchronizerInvalidError` for a wrong limit, a source that is no `TaskSource`, or a missing
   * executor.
   *
   * @example
   * await provider.executeTasks({
   *   maxTasksInFlight: 1000,
   *   maxTasksInExecution: 50,
   *   taskSource: toTasks(listUsers()),
   *   taskExecutor: ({ task: user }) => notify(user),
   *   onTaskError: (e, { task: user }) => console.error(`could not notify ${user.name}`, e),
   * })
   */
  executeTasks<T>(params: ExecuteTasksParams<T>): Promise<void>

  /**
   * As `executeTasks`, for tasks that have results: an async iterator of what the mapper returns, in the order of the
   * source. Nothing is pulled before the first `next()`, and a result that waits counts as in flight: a slow consumer holds
   * the source up.
   *
   * - A mapper that fails ends the iteration with its error, after the results before it and when the running mappers have
   *   settled; nothing new is started meanwhile. With `onTaskError`, that gets the error, and the iteration goes on without the task.
   * - A source that fails ends it with that very error, after the results of all its tasks.
   * - An abort ends it with `signal.reason` once the running mappers have settled.
   * - `break` and `return()` close the source once (waiting for that 100 ms at most) and wait for the running mappers.
   *
   * @throws {SynchronizerInvalidError} for a wrong limit, a source that is no `TaskSource`, or a missing mapper
   *
   * @example
   * const pages = provider.mapTasks({
   *   maxTasksInFlight: 20,
   *   taskSource: toTasks(urls),
   *   taskMapper: ({ task: url }) => download(url),
   * })
   * for await (const page of pages) await index(page)
   */
  mapTasks<T, R>(params: MapTasksParams<T, R>): AsyncGenerator<R, void>

  /**
   * Maps every value and resolves with the results in the order of the values, a bounded number at a time. The first
   * failure, of the mapper or of the iterable, makes it reject once the running mappers have settled; nothing new is started.
   *
   * @param iterable values, or promises of them
   *
   * @example
   * const sizes = await provider.mapAll(paths, async (path) => (await stat(path)).size, { maxTasksInExecution: 16 })
   */
  mapAll<T, R>(
    iterable: Iterable<T | PromiseLike<T>> | AsyncIterable<T>,
    mapper: (value: T, index: number) => R | PromiseLike<R>,
    options?: MapAllOptions,
  ): Promise<R[]>
}

// ---------------------------------------------------------------------------------------------
// The task pipeline
// ---------------------------------------------------------------------------------------------

/** One task, as sources yield and executors take it. */
export type SynchronizerTask<T> = {
  task: T
}

/** What ya-syn's `executeTasks` takes. It fits `ExecuteTasksParams<T>`, which adds to it. */
export type SynchronizerTaskExecutorParams<T> = {
  readonly maxTasksInFlight: number
  readonly maxTasksInExecution?: number
  readonly taskSource: AsyncGenerator<SynchronizerTask<T>>
  readonly taskExecutor: (params: SynchronizerTask<T>) => Promise<void>
  readonly onTaskError?: (e: unknown) => void
}

/**
 * Where tasks come from: an async generator, any other async iterator or async iterable (a stream, say), or a
 * plain iterable such as an array. For values that are not wrapped in `{ task }`, see `toTasks`.
 */
export type TaskSource<T> =
  | AsyncIterator<SynchronizerTask<T>>
  | AsyncIterable<SynchronizerTask<T>>
  | Iterable<SynchronizerTask<T>>

/** A limit per key inside `executeTasks`. While the window has room, a busy key does not hold up tasks of other keys. */
export interface LimitPerKey<T> {
  /** The key of a task. Called once per task. */
  readonly key: (task: T) => string
  /** How many tasks of one key may run at the same time. */
  readonly maxTasksInExecution: number
  /**
   * Share the limit with everybody who uses this provider: a task runs inside its
   * `forKey(key, maxTasksInExecution)`. Default: a limit of this call alone.
   *
   * A task keeps the permit of its key while it waits for one of the places in execution. So an executor that waits for
   * another key of the same provider may wait for a task that waits for its place: take such locks outside the pipeline.
   *
   * Called inside a section of such a key, the tasks of that key re-enter it, and have no limit.
   *
   * Whatever way the run stops, every permit is given back before it settles. A task whose synchronizer can not be had fails;
   * without `onTaskError` the run rejects with that error after all tasks have settled.
   */
  readonly synchronizers?: SynchronizerProvider | undefined
}

/** How far `executeTasks` is; all counts are totals since its start, but for `running`. */
export interface ExecuteTasksProgress {
  /** Tasks taken from the source. */
  readonly pulled: number
  /** Tasks whose executor runs right now. */
  readonly running: number
  /** Tasks that succeeded. */
  readonly done: number
  /** Tasks that failed. */
  readonly failed: number
}

/** What `executeTasks` takes. */
export interface ExecuteTasksParams<T> {
  /** How many tasks may be pulled from the source and unfinished. */
  readonly maxTasksInFlight: number
  /** How many of those may run at the same time. Default: no further limit. */
  readonly maxTasksInExecution?: number
  /** Where tasks come from. */
  readonly taskSource: TaskSource<T>
  /** What is done with a task. It sees the async context of the `executeTasks` call. */
  readonly taskExecutor: (params: SynchronizerTask<T>) => Promise<void>
  /**
   * Told of every task that fails, and which one it is. A handler that throws does not stop the run: `executeTasks` rejects
   * with the handler's first error after all tasks have settled.
   */
  readonly onTaskError?: (e: unknown, params: SynchronizerTask<T>) => void
  /** Stops the run: nothing new starts, and the call rejects with `signal.reason` once the running tasks have settled. */
  readonly signal?: AbortSignal | undefined
  /** A limit per key, on top of the others. */
  readonly limitPerKey?: LimitPerKey<T> | undefined
  /**
   * Told how far the run is, ten times a second at most, and once more at the end. An error it throws is shown with
   * `process.emitWarning`.
   */
  readonly onProgress?: ((progress: ExecuteTasksProgress) => void) | undefined
}

/** What `mapTasks` takes. */
export interface MapTasksParams<T, R> {
  /** How many tasks may be pulled from the source and not yet given as results. */
  readonly maxTasksInFlight: number
  /** How many of those may run at the same time. Default: no further limit. */
  readonly maxTasksInExecution?: number | undefined
  /** Where tasks come from. */
  readonly taskSource: TaskSource<T>
  /** Makes the result of a task. It sees the async context of the `mapTasks` call. */
  readonly taskMapper: (params: SynchronizerTask<T>) => R | PromiseLike<R>
  /** Give results in the order of the source (default `true`), or as they come. */
  readonly ordered?: boolean | undefined
  /**
   * Told of every task that fails, and which one it is; the iteration goes on. The first error that a handler throws itself
   * ends the iteration after the last result. Default: the first failure ends it.
   */
  readonly onTaskError?: ((e: unknown, params: SynchronizerTask<T>) => void) | undefined
  /** A limit per key, on top of the others. */
  readonly limitPerKey?: LimitPerKey<T> | undefined
  /** Stops the run: nothing new starts, and the iteration ends with `signal.reason` once the running mappers have settled. */
  readonly signal?: AbortSignal | undefined
  /** Told how far the run is, ten times a second at most, and once more at the end. */
  readonly onProgress?: ((progress: ExecuteTasksProgress) => void) | undefined
}

/** How `mapAll` runs. */
export interface MapAllOptions {
  /** How many mappers may run at the same time. Default: no limit. */
  readonly maxTasksInExecution?: number | undefined
  /** Nothing new starts, and the call rejects with `signal.reason` once the running mappers have settled. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Wraps plain values for `executeTasks`. Closing it closes the iterable.
 *
 * @example
 * toTasks(['a', 'b']) // yields { task: 'a' }, { task: 'b' }
 */
export function toTasks<T>(iterable: Iterable<T> | AsyncIterable<T>): AsyncGenerator<SynchronizerTask<T>, void>

/**
 * Cuts tasks that are arrays anew, for when the pages of a source and the batches of an executor differ in size. Order is kept;
 * the last batch may be shorter, and none is empty. Closing it closes the source.
 *
 * @param size how many items a batch has
 * @throws {SynchronizerInvalidError} if `size` is not an integer of at least 1
 *
 * @example
 * rebatchTasks(toTasks([[1, 2, 3], [4, 5]]), 2) // yields { task: [1, 2] }, { task: [3, 4] }, { task: [5] }
 */
export function rebatchTasks<T>(
  source: TaskSource<readonly T[]>,
  size: number,
): AsyncGenerator<SynchronizerTask<T[]>, void>

/**
 * Yields what any of the generators yields, as it comes. The first error of one of them, a falsy one included, ends it.
 *
 * On `break`, error or `return()` every generator is closed once: all are asked at once, and it waits for their `finally`
 * blocks, but at most 100 ms for one that stays silent.
 *
 * @example
 * for await (const line of mergeAsyncGenerators([tail('a.log'), tail('b.log')])) {
 *   console.log(line)
 * }
 */
export function mergeAsyncGenerators<T>(generators: AsyncGenerator<T, void>[]): AsyncGenerator<T, void>

// ---------------------------------------------------------------------------------------------
// Values that are made once, or kept for a while
// ---------------------------------------------------------------------------------------------

/**
 * Makes a value when it is first asked for, once for all who ask. A failure is not kept: the next `get()`
 * tries again.
 *
 * @example
 * const database = new LazyInitializer(() => connect(url))
 * const connection = await database.get()
 */
export class LazyInitializer<T> {
  /**
   * @param factory makes the value; any value but `undefined` will do
   * @param eager start right away, whatever comes of it (default `false`)
   */
  constructor(factory: () => Promise<T>, eager?: boolean)

  readonly factory: () => Promise<T>

  readonly eager?: boolean

  /**
   * The value. Rejects with what the factory rejects with, with `SynchronizerInvalidError` if it gives
   * `undefined`, and with `SynchronizerReentrantExecutionError` if the factory asks for the value that it makes.
   */
  get(): Promise<T>
}

/** How a `CachedProvider` is set up. */
export type CachedProviderParams<T> = {
  /** Loads the value. */
  readonly factory: () => Promise<T>
  /** When the value is from. Default: when its load began. */
  readonly cacheTimestamp?: (obj: T) => Date
  /** For how long a value is served, in milliseconds since it is from. Default 0. */
  readonly defaultTTL?: number
}

/**
 * A value that is loaded when asked for and kept for a while. Whoever asked before a load began shares its
 * result. A failed load is not kept. Time is that of `Date`, so faked clocks work.
 */
export class CachedProvider<T> {
  constructor(
    params: CachedProviderParams<T> & {
      readonly synchronizerProvider: SynchronizerProvider
    },
  )

  /**
   * The value, loaded if it is older than the TTL. Rejects with what the factory rejects with.
   *
   * @param ttl milliseconds; default: `defaultTTL`
   */
  get(ttl?: number): Promise<T>

  /** Returns `cb(params)`: names values once, for a chain of functions that need them. */
  static capture<V, T>(params: V, cb: (params: V) => T): T
}

/**
 * A map from parameters to objects that it does not keep alive: while an object is in use the same
 * parameters give the same object.
 *
 * @example
 * const sessions = new WeakIndexMap({
 *   toKey: ({ host, port }: Address) => `${host}:${port}`,
 *   toIndex: (address) => new Session(address),
 * })
 */
export class WeakIndexMap<Params, T extends object> {
  constructor(params: {
    /** The key of the parameters; equal keys share an object. */
    readonly toKey: (params: Params) => string
    /** Makes the object for parameters that have none. */
    readonly toIndex: (params: Params) => T
    /** Call `gc()` every so many milliseconds. The timer does not keep the process alive. Default: never. */
    readonly gcInterval?: number
  })

  /** The object for these parameters, made if there is none. */
  get(params: Params): T

  /** How many entries there are, those included whose object is gone and which `gc()` has not removed yet. */
  get size(): number

  /** Removes the entries whose object is gone. */
  gc(): void

  /**
   * Whether `gc()` removes an entry. A subclass may override it.
   *
   * @param target the entry's object, or `undefined` if it is gone
   */
  protected isGarbageCollected(target?: T): boolean
}

// ---------------------------------------------------------------------------------------------
// The process
// ---------------------------------------------------------------------------------------------

/**
 * Knows whether the process was asked to end by SIGINT or SIGTERM. It takes the first signal; the next one
 * ends the process, as Node.js does by default.
 *
 * @example
 * const monitor = new ProcessMonitor()
 * while (monitor.isRunning) {
 *   await poll()
 *   await monitor.wait(1000)
 * }
 */
export class ProcessMonitor {
  constructor()

  /** The `setTimeout` of `timers/promises`. */
  readonly sleep: LazyInitializer<
    <V = void>(
      delay?: number,
      value?: V,
      options?: { readonly signal?: AbortSignal; readonly ref?: boolean },
    ) => Promise<V>
  >

  /** Waits that many milliseconds. Rejects with an `AbortError` when the process is asked to end, and at once if it was. */
  wait(ms: number): Promise<void>

  /** Whether the process was asked to end. */
  get isTerminating(): boolean

  /** The opposite of `isTerminating`. */
  get isRunning(): boolean
}
