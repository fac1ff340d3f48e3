// What `executeTasks`, `mapTasks` and `mapAll` take.

/// <reference lib="es2018.asyncgenerator" />

import type { SynchronizerProvider } from './provider.js'
import type { SynchronizerTask, TaskSource } from './sources.js'

/** What ya-syn's `executeTasks` takes. It fits `ExecuteTasksParams<T>`, which adds to it. */
export type SynchronizerTaskExecutorParams<T> = {
  readonly maxTasksInFlight: number
  readonly maxTasksInExecution?: number
  readonly taskSource: AsyncGenerator<SynchronizerTask<T>>
  readonly taskExecutor: (params: SynchronizerTask<T>) => Promise<void>
  readonly onTaskError?: (e: unknown) => void
}

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
