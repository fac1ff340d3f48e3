// What this package adds to ya-syn, used as a program would.
import { Readable } from 'node:stream'
import { Synchronizer, SynchronizerProvider, rebatchTasks, toTasks } from 'ya-syn-native'
import type {
  AcquireParams,
  ExecuteTasksParams,
  ExecuteTasksProgress,
  LimitPerKey,
  ScopedSynchronizerParams,
  ScopedSynchronizerProviderParams,
  SynchronizedParams,
  SynchronizerErrorCode,
  SynchronizerGuard,
  SynchronizerParams,
  SynchronizerProviderParams,
  SynchronizerScope,
  SynchronizerTask,
  SynchronizerTaskExecutorParams,
  SynchronizerView,
  TaskSource,
} from 'ya-syn-native'
import { exactly } from '../exactly.js'

type User = { name: string; tenant: string }

const sp = new SynchronizerProvider()
const { signal } = new AbortController()

export async function signals(s: Synchronizer): Promise<void> {
  exactly<Promise<number>>()(s.synchronized({ cb: async () => 1, signal }))
  exactly<SynchronizerView>()(s.timeout(5, { signal }))
  exactly<SynchronizerView>()(s.throttle({ signal }))
  exactly<Promise<number>>()(s.timeout(5).synchronized({ cb: async () => 1, signal }))
  const params: SynchronizedParams<string> = { cb: async ({ executionId }) => executionId, signal: undefined }
  exactly<Promise<string>>()(s.synchronized(params))
}

export async function guards(s: Synchronizer): Promise<void> {
  const params: AcquireParams = { signal, timeout: 10 }
  const guard = await s.acquire(params)
  exactly<SynchronizerGuard>()(guard)
  exactly<boolean>()(guard.released)
  exactly<void>()(guard.release())
  {
    using held = await s.acquire()
    exactly<SynchronizerGuard>()(held)
  }
  {
    await using held = await s.acquire({ timeout: 1 })
    exactly<SynchronizerGuard>()(held)
  }
}

export async function sources(): Promise<void> {
  const users: User[] = []
  const taskExecutor = async ({ task }: SynchronizerTask<User>): Promise<void> => {
    exactly<User>()(task)
  }
  const iterator: AsyncIterator<SynchronizerTask<User>> = {
    next: async () => ({ done: true, value: undefined }),
  }
  const all: TaskSource<User>[] = [
    users.map((task) => ({ task })),
    new Set<SynchronizerTask<User>>(),
    toTasks(users),
    toTasks(toTasksOfUsers()),
    iterator,
    Readable.from([]) as AsyncIterable<SynchronizerTask<User>>,
  ]
  for (const taskSource of all) {
    await sp.executeTasks({ maxTasksInFlight: 1, taskSource, taskExecutor })
  }
  await sp.executeTasks({
    maxTasksInFlight: 1,
    taskSource: [{ task: 1 }],
    taskExecutor: async ({ task }) => exactly<number>()(task),
  })
}

export async function pipeline(users: AsyncIterable<User>): Promise<void> {
  await sp.executeTasks({
    maxTasksInFlight: 100,
    maxTasksInExecution: 10,
    taskSource: toTasks(users),
    taskExecutor: async ({ task }) => exactly<User>()(task),
    onTaskError: (e, { task }) => {
      exactly<unknown>()(e)
      exactly<User>()(task)
    },
    signal,
    limitPerKey: { key: (task) => task.tenant, maxTasksInExecution: 2, synchronizers: sp },
    onProgress: (progress) => {
      exactly<ExecuteTasksProgress>()(progress)
      exactly<number>()(progress.pulled + progress.running + progress.done + progress.failed)
    },
  })
}

export function batches(pages: AsyncIterable<string[]>): Promise<void> {
  exactly<AsyncGenerator<SynchronizerTask<number>, void>>()(toTasks([1]))
  const taskSource = rebatchTasks(toTasks(pages), 1000)
  exactly<AsyncGenerator<SynchronizerTask<string[]>, void>>()(taskSource)
  return sp.executeTasks({
    maxTasksInFlight: 2,
    taskSource,
    taskExecutor: async ({ task }) => exactly<string[]>()(task),
  })
}

/** Generic wrappers of the wider types, which conditional types would break. */
export function each<T>(source: TaskSource<T>, run: (task: T) => Promise<void>, limit?: LimitPerKey<T>): Promise<void> {
  const params: ExecuteTasksParams<T> = {
    maxTasksInFlight: 8,
    taskSource: source,
    taskExecutor: ({ task }) => run(task),
    limitPerKey: limit,
  }
  return sp.executeTasks(params)
}

/** What fits ya-syn's parameters fits the wider ones, also generically. */
export function widen<T>(params: SynchronizerTaskExecutorParams<T>): ExecuteTasksParams<T> {
  return params
}

export function classes(): void {
  class Named extends Synchronizer {
    constructor(name: string) {
      super({ synchronizerId: name, maxConcurrentExecution: 2 })
    }
  }
  exactly<string>()(new Named('n').synchronizerId)
  exactly<number>()(sp.numberOfKeys)
}

export function scopes(scope: SynchronizerScope | undefined, plain: SynchronizerProviderParams): Synchronizer[] {
  const params: ScopedSynchronizerProviderParams = { providerId: 'p', scope: 'process', onEvent: () => {} }
  exactly<'thread' | 'process'>()(scope ?? 'thread')
  exactly<SynchronizerProviderParams | undefined>()(new SynchronizerProvider(params).params)
  const named: ScopedSynchronizerParams = { synchronizerId: 's', scope: 'process', maxConcurrentExecution: 2 }
  const unscoped: SynchronizerParams = named
  return [
    new SynchronizerProvider(plain).createSynchronizer({ synchronizerId: 's', scope: 'process' }),
    new Synchronizer(named),
    new Synchronizer(unscoped),
  ]
}

export function codes(code: SynchronizerErrorCode): number {
  switch (code) {
    case 'Timeout':
    case 'Throttle':
    case 'Invalid':
    case 'ReentrantExecution':
    case 'Cancel':
      return 1
  }
}

async function* toTasksOfUsers(): AsyncGenerator<User> {}
