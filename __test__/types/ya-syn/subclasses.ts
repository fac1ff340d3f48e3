// Each class of ya-syn can be subclassed, and its accessors and methods overridden.
import {
  CachedProvider,
  CoreSemaphore,
  LazyInitializer,
  ProcessMonitor,
  Semaphore,
  SynchronizerError,
  SynchronizerInvalidError,
  SynchronizerProvider,
  SynchronizerReentrantExecutionError,
  SynchronizerThrottleError,
  SynchronizerTimeoutError,
  WeakIndexMap,
} from 'ya-syn'
import type {
  Synchronizer,
  SynchronizerContext,
  SynchronizerParams,
  SynchronizerProviderParams,
  SynchronizerTaskExecutorParams,
} from 'ya-syn'

export class Provider extends SynchronizerProvider {
  constructor(params?: SynchronizerProviderParams) {
    super({ ...params, providerId: 'mine' })
  }

  override nextId(): number {
    return super.nextId() + 1000
  }

  override forKey(key: string, maxConcurrentExecution?: number): Synchronizer {
    return super.forKey(`mine:${key}`, maxConcurrentExecution)
  }

  override createSynchronizer(params?: Omit<SynchronizerParams, 'providerId'>): Synchronizer {
    return super.createSynchronizer({ maxConcurrentExecution: 2, ...params })
  }

  override executeTasks<T>(params: SynchronizerTaskExecutorParams<T>): Promise<void> {
    return super.executeTasks({ ...params, maxTasksInExecution: 1 })
  }
}

export class CountingCore extends CoreSemaphore {
  calls = 0

  override synchronized<T>(cb: () => Promise<T>): Promise<T> {
    this.calls++
    return super.synchronized(cb)
  }

  override get numberOfTasks(): number {
    return super.numberOfTasks + 1
  }
}

export class Lock extends Semaphore {
  constructor() {
    super(1, false)
  }

  override async synchronized<T>(cb: (isReentrant: boolean) => Promise<T>): Promise<T> {
    return super.synchronized(cb, { throttle: true })
  }
}

export class Config extends LazyInitializer<{ url: string }> {
  constructor() {
    super(async () => ({ url: 'x' }), true)
  }

  override async get(): Promise<{ url: string }> {
    return { ...(await super.get()) }
  }
}

export class Cached<T> extends CachedProvider<T> {
  constructor(factory: () => Promise<T>) {
    super({ factory, defaultTTL: 5, synchronizerProvider: new SynchronizerProvider() })
  }

  override get(ttl = 10): Promise<T> {
    return super.get(ttl)
  }
}

export class Sessions extends WeakIndexMap<{ id: string }, { id: string }> {
  collected: string[] = []

  constructor() {
    super({ toKey: ({ id }) => id, toIndex: ({ id }) => ({ id }) })
  }

  protected override isGarbageCollected(target?: { id: string }): boolean {
    return target === undefined || this.collected.includes(target.id) || super.isGarbageCollected(target)
  }
}

/** As a test of a program would: the protected method made public. */
export class OpenSessions extends Sessions {
  override isGarbageCollected(target?: { id: string }): boolean {
    return super.isGarbageCollected(target)
  }
}

export class Monitor extends ProcessMonitor {
  override get isRunning(): boolean {
    return super.isRunning && !this.isTerminating
  }

  override async wait(ms: number): Promise<void> {
    await super.wait(ms * 2)
  }
}

export class MyError extends SynchronizerError {
  constructor(context?: Readonly<SynchronizerContext>) {
    super({ message: 'mine', code: 'Mine', context })
  }

  override get code(): string {
    return 'Other'
  }
}

export class MyTimeout extends SynchronizerTimeoutError {}
export class MyThrottle extends SynchronizerThrottleError {}
export class MyInvalid extends SynchronizerInvalidError {}
export class MyReentrant extends SynchronizerReentrantExecutionError {}

export const instances = [
  new Provider(),
  new CountingCore(1),
  new Lock(),
  new Config(),
  new Cached(async () => 1),
  new OpenSessions(),
  new Monitor(),
  new MyError(),
  new MyTimeout(),
  new MyThrottle(),
  new MyInvalid('message'),
  new MyReentrant(),
]
