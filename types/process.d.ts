// Whether the process was asked to end.

import type { LazyInitializer } from './values.js'

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
