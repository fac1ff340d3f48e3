// Tasks, and the sources that they come from.

/// <reference lib="es2018.asyncgenerator" />

/** One task, as sources yield and executors take it. */
export type SynchronizerTask<T> = {
  task: T
}

/**
 * Where tasks come from: an async generator, any other async iterator or async iterable (a stream, say), or a
 * plain iterable such as an array. For values that are not wrapped in `{ task }`, see `toTasks`.
 */
export type TaskSource<T> =
  AsyncIterator<SynchronizerTask<T>> | AsyncIterable<SynchronizerTask<T>> | Iterable<SynchronizerTask<T>>

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
