// A task pipeline over merged generators: two listings, read as they come, processed a few at a time.
//
// At most 6 files are listed ahead of their processing, at most 3 are processed at the same time, and a file that fails
// does not stop the others.
import { SynchronizerProvider, mergeAsyncGenerators } from 'ya-syn'
import type { SynchronizerTask } from 'ya-syn'

type File = { readonly name: string; readonly size: number }

async function* list(folder: string, count: number): AsyncGenerator<SynchronizerTask<File>, void> {
  for (let i = 1; i <= count; i++) {
    await pause(1)
    yield { task: { name: `${folder}/${i}`, size: i } }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

async function main(): Promise<void> {
  let bytes = 0
  let running = 0
  let peak = 0
  const failures: unknown[] = []

  await new SynchronizerProvider().executeTasks({
    maxTasksInFlight: 6,
    maxTasksInExecution: 3,
    taskSource: mergeAsyncGenerators([list('a', 10), list('b', 10)]),
    taskExecutor: async ({ task }) => {
      peak = Math.max(peak, ++running)
      try {
        await pause(5)
        if (task.name === 'b/10') {
          throw new Error(`${task.name} cannot be read`)
        }
        bytes += task.size
      } finally {
        running--
      }
    },
    onTaskError: (e) => failures.push(e),
  })

  console.log(`bytes: ${bytes}`)
  console.log(`peak: ${peak}`)
  console.log(`failures: ${failures.map((e) => (e as Error).message).join(', ')}`)
}

void main()
