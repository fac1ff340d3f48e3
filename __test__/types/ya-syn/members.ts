// Every public member of ya-syn has the type that it has there.
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
  mergeAsyncGenerators,
} from 'ya-syn'
import type {
  CachedProviderParams,
  ISemaphore,
  Synchronizer,
  SynchronizerCallback,
  SynchronizerContext,
  SynchronizerEvent,
  SynchronizerEventListener,
  SynchronizerEventType,
  SynchronizerParams,
  SynchronizerProviderParams,
  SynchronizerStats,
  SynchronizerTask,
  SynchronizerTaskExecutorParams,
} from 'ya-syn'
import { exactly } from '../exactly.js'

export async function provider(): Promise<void> {
  const events: SynchronizerEventType[] = []
  const onEvent: SynchronizerEventListener = (event: SynchronizerEvent) => {
    events.push(event.type)
    exactly<number>()(event.stats.numberOfTasks)
    exactly<string>()(event.context.executionId)
  }
  const params: SynchronizerProviderParams = { providerId: 'p', onEvent }
  const sp = new SynchronizerProvider(params)
  new SynchronizerProvider()
  exactly<SynchronizerProviderParams | undefined>()(sp.params)
  exactly<number>()(sp.nextId())
  exactly<Synchronizer>()(sp.forKey('key'))
  exactly<Synchronizer>()(sp.forKey('key', 2))
  exactly<Synchronizer>()(sp.forObject({}, 2))
  exactly<Synchronizer>()(sp.createSynchronizer())

  const overlay: Omit<SynchronizerParams, 'providerId'> = {
    synchronizerId: 's',
    maxConcurrentExecution: 2,
    raiseOnReentrant: true,
    onEvent,
  }
  exactly<Synchronizer>()(sp.createSynchronizer(overlay))

  const cached: CachedProviderParams<Date> = {
    factory: async () => new Date(),
    cacheTimestamp: (obj) => obj,
    defaultTTL: 10,
  }
  exactly<CachedProvider<Date>>()(sp.createCachedProvider(cached))

  const p: Promise<void> = sp.executeTasks({
    maxTasksInFlight: 3,
    maxTasksInExecution: 1,
    taskSource: numbers(),
    taskExecutor: async ({ task }) => {
      exactly<number>()(task)
    },
    onTaskError: (e) => {
      exactly<unknown>()(e)
    },
  })
  await p
}

export async function synchronizer(s: Synchronizer): Promise<void> {
  exactly<SynchronizerParams>()(s.params)
  exactly<string>()(s.providerId)
  exactly<string>()(s.synchronizerId)
  exactly<Readonly<SynchronizerStats>>()(s.stats)
  const cb: SynchronizerCallback<number> = async (context: SynchronizerContext) => context.synchronizerId.length
  exactly<Promise<number>>()(s.synchronized(cb))
  exactly<Promise<string>>()(
    s.synchronized({
      executionId: 'e',
      cb: async (context) => context.executionId,
      isCanceled: () => false,
      throttle: true,
    }),
  )
  exactly<void>()(s.emitEvent('Acquire', { providerId: 'p', synchronizerId: 's', executionId: 'e' }))
  for (const view of [s.timeout(10), s.throttle()]) {
    exactly<Readonly<SynchronizerStats>>()(view.stats)
    exactly<Promise<number>>()(view.synchronized(cb))
    exactly<Promise<number>>()(view.synchronized({ executionId: 'e', cb }))
  }
}

export async function semaphores(): Promise<void> {
  const core = new CoreSemaphore(2)
  exactly<number>()(core.concurrentExecution)
  exactly<Promise<number>>()(core.synchronized(async () => 1))
  exactly<Promise<void>>()(core.waitComplete())
  exactly<Promise<void>>()(core.waitCompleteAll())
  exactly<number>()(core.numberOfRunningTasks)
  exactly<number>()(core.numberOfTasks)

  const semaphore = new Semaphore(1, true)
  exactly<boolean>()(semaphore.raiseOnReentrant)
  const general: ISemaphore = semaphore
  const asCore: CoreSemaphore = new Semaphore(1)
  exactly<Promise<string>>()(general.synchronized(async () => 'x'))
  exactly<Promise<boolean>>()(
    semaphore.synchronized(async (isReentrant) => isReentrant, {
      onEvent: (type) => exactly<SynchronizerEventType>()(type),
      isCanceled: () => false,
      throttle: false,
    }),
  )
  await asCore.synchronized(async () => undefined)
}

export async function values(sp: SynchronizerProvider): Promise<void> {
  const lazy = new LazyInitializer(async () => new Map<string, number>(), true)
  exactly<Promise<Map<string, number>>>()(lazy.get())
  exactly<() => Promise<Map<string, number>>>()(lazy.factory)
  exactly<boolean | undefined>()(lazy.eager)

  const cached = new CachedProvider({ factory: async () => 'value', synchronizerProvider: sp })
  exactly<Promise<string>>()(cached.get())
  exactly<Promise<string>>()(cached.get(1000))
  exactly<number>()(CachedProvider.capture({ a: 1 }, ({ a }) => a))

  const map = new WeakIndexMap({
    toKey: (params: { id: number }) => String(params.id),
    toIndex: (params) => ({ ...params }),
    gcInterval: 1000,
  })
  exactly<{ id: number }>()(map.get({ id: 1 }))
  exactly<number>()(map.size)
  exactly<void>()(map.gc())

  const monitor = new ProcessMonitor()
  exactly<Promise<void>>()(monitor.wait(1))
  exactly<boolean>()(monitor.isTerminating)
  exactly<boolean>()(monitor.isRunning)
  const sleep = await monitor.sleep.get()
  await sleep(1)
  await sleep(1, undefined, { signal: new AbortController().signal })
}

export async function merged(): Promise<number> {
  const generator = mergeAsyncGenerators([plainNumbers(), plainNumbers()])
  exactly<AsyncGenerator<number, void>>()(generator)
  let sum = 0
  for await (const n of generator) {
    sum += n
  }
  return sum
}

export function errors(context: SynchronizerContext): string[] {
  const all: SynchronizerError[] = [
    new SynchronizerError({ code: 'Mine' }),
    new SynchronizerError({ message: 'm', code: 'Timeout', context }),
    new SynchronizerTimeoutError(),
    new SynchronizerTimeoutError(context),
    new SynchronizerThrottleError(context),
    new SynchronizerInvalidError('message', context),
    new SynchronizerReentrantExecutionError(context),
  ]
  return all.map((e) => {
    const code: string = e.code
    exactly<Readonly<SynchronizerContext> | undefined>()(e.context)
    exactly<string | undefined>()(e.params.message)
    const asError: Error = e
    return `${asError.name} ${code}`
  })
}

/** Type aliases, unlike interfaces, fit an index signature; programs that log them rely on it. */
export function aliases(
  stats: SynchronizerStats,
  context: SynchronizerContext,
  task: SynchronizerTask<number>,
  params: SynchronizerTaskExecutorParams<number>,
): Record<string, unknown>[] {
  return [stats, context, task, params]
}

async function* numbers(): AsyncGenerator<SynchronizerTask<number>> {
  yield { task: 1 }
}

async function* plainNumbers(): AsyncGenerator<number, void> {
  yield 1
}
