// Programs that wrap ya-syn in generic functions and classes of their own.
import { CachedProvider, LazyInitializer, SynchronizerProvider, mergeAsyncGenerators } from 'ya-syn'
import type {
  CachedProviderParams,
  ISemaphore,
  Synchronizer,
  SynchronizerCallback,
  SynchronizerTask,
  SynchronizerTaskExecutorParams,
} from 'ya-syn'

const sp = new SynchronizerProvider()

export function withLock<T>(key: string, cb: SynchronizerCallback<T>): Promise<T> {
  return sp.forKey(key).synchronized(cb)
}

export function withTimeout<T>(s: Synchronizer, ms: number, cb: () => Promise<T>): Promise<T> {
  return s.timeout(ms).synchronized<T>({ cb })
}

export function limited<A extends unknown[], R>(
  s: ISemaphore,
  fn: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return (...args) => s.synchronized(() => fn(...args))
}

/** The parameters are built by a generic function, then passed on by another. */
export function params<T>(
  source: AsyncGenerator<SynchronizerTask<T>>,
  run: (task: T) => Promise<void>,
): SynchronizerTaskExecutorParams<T> {
  return {
    maxTasksInFlight: 10,
    maxTasksInExecution: 2,
    taskSource: source,
    taskExecutor: ({ task }) => run(task),
    onTaskError: (e: unknown) => {
      throw e
    },
  }
}

export async function runAll<T>(items: Iterable<T>, run: (task: T) => Promise<void>): Promise<void> {
  async function* source(): AsyncGenerator<SynchronizerTask<T>> {
    for (const task of items) {
      yield { task }
    }
  }
  await sp.executeTasks(params(source(), run))
  await sp.executeTasks<T>({ ...params(source(), run), maxTasksInFlight: 1 })
}

export function passThrough<T>(p: Omit<SynchronizerTaskExecutorParams<T>, 'maxTasksInFlight'>): Promise<void> {
  return sp.executeTasks({ ...p, maxTasksInFlight: 5 })
}

export function pages<T>(generators: AsyncGenerator<T[], void>[]): AsyncGenerator<SynchronizerTask<T[]>, void> {
  return (async function* () {
    for await (const task of mergeAsyncGenerators(generators)) {
      yield { task }
    }
  })()
}

export class Repository<Row extends { updatedAt: Date }> {
  readonly #cached: CachedProvider<Row>
  readonly #lazy: LazyInitializer<Row>

  constructor(load: () => Promise<Row>, options?: Partial<CachedProviderParams<Row>>) {
    this.#cached = sp.createCachedProvider({ factory: load, cacheTimestamp: (row) => row.updatedAt, ...options })
    this.#lazy = new LazyInitializer(load)
  }

  get(ttl?: number): Promise<Row> {
    return this.#cached.get(ttl)
  }

  first(): Promise<Row> {
    return this.#lazy.get()
  }

  exclusively<T>(cb: (row: Row) => Promise<T>): Promise<T> {
    return sp.forObject(this).synchronized(async () => cb(await this.get()))
  }
}
