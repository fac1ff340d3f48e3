// What a synchronizer tells about itself: stats, contexts and events.

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
  'Acquire' | 'Acquired' | 'Cancel' | 'Enter' | 'Exit' | 'Release' | 'Finish' | 'Timeout' | 'Throttle'

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
