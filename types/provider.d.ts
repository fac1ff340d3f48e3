// The provider, which gives synchronizers and runs tasks.

/// <reference lib="es2018.asyncgenerator" />

import type { ExecuteTasksParams, MapAllOptions, MapTasksParams } from './pipeline.js'
import type {
  ScopedSynchronizerParams,
  ScopedSynchronizerProviderParams,
  Synchronizer,
  SynchronizerProviderParams,
} from './synchronizers.js'
import type { CachedProvider, CachedProviderParams } from './values.js'

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
