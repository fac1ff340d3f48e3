// Values that are made once, or kept for a while.

import type { SynchronizerProvider } from './provider.js'

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
