// mapTasks and mapAll, used as a program would.
import { SynchronizerProvider, toTasks } from 'ya-syn-native'
import type { MapAllOptions, MapTasksParams } from 'ya-syn-native'
import { exactly } from '../exactly.js'

const sp = new SynchronizerProvider()
const { signal } = new AbortController()

export async function results(): Promise<void> {
  const results = sp.mapTasks({
    maxTasksInFlight: 2,
    taskSource: toTasks(['a']),
    taskMapper: async ({ task }) => task.length,
    ordered: false,
    signal,
    onTaskError: (_e, { task }) => exactly<string>()(task),
    onProgress: ({ pulled }) => exactly<number>()(pulled),
  })
  exactly<AsyncGenerator<number, void>>()(results)
  for await (const result of results) exactly<number>()(result)
  for await (const result of sp.mapTasks({
    maxTasksInFlight: 1,
    taskSource: [{ task: 1 }],
    taskMapper: ({ task }) => `${task}`,
  })) {
    exactly<string>()(result)
  }
}

export async function arrays(pages: AsyncIterable<string>): Promise<void> {
  const options: MapAllOptions = { maxTasksInExecution: 4, signal }
  exactly<number[]>()(await sp.mapAll(['a'], async (value, index) => value.length + index, options))
  exactly<string[]>()(await sp.mapAll(pages, (page) => page))
}

/** A generic wrapper. */
export function mapped<T, R>(params: MapTasksParams<T, R>): AsyncGenerator<R, void> {
  return sp.mapTasks(params)
}

export function refused(): void {
  // @ts-expect-error the mapper is required
  sp.mapTasks({ maxTasksInFlight: 1, taskSource: toTasks([1]) })
  // @ts-expect-error a limit is a number
  void sp.mapAll([1], async () => {}, { maxTasksInExecution: '2' })
}
