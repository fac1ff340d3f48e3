// Compiles without @types/node and without the DOM: the package's types stand by themselves.
import { SynchronizerProvider, toTasks } from 'ya-syn-native'
import type { SynchronizerGuard } from 'ya-syn-native'

const sp = new SynchronizerProvider()

export async function main(signal: AbortSignal): Promise<boolean> {
  const guard: SynchronizerGuard = await sp.forKey('a').acquire({ signal, timeout: 10 })
  guard[Symbol.dispose]()
  await sp.executeTasks({
    maxTasksInFlight: 1,
    taskSource: toTasks(['a']),
    taskExecutor: async ({ task }) => void task.length,
    signal,
  })
  // @ts-expect-error a signal is an AbortSignal here too
  await sp.forKey('a').acquire({ signal: {} })
  return guard.released
}
