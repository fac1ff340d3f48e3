// executeTasks with tasks that end at once: timers and I/O get through, and nothing recurses.
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'
import { tasks } from '../helpers/sources.mjs'

const execute = (params) => new SynchronizerProvider().executeTasks({ maxTasksInFlight: 10, ...params })

for (const [kind, make] of Object.entries({
  'a sync': (count) => tasks(count),
  async *'an async'(count) {
    for (let task = 0; task < count; task++) yield { task }
  },
})) {
  test.serial(`timers and I/O get through while instant tasks of ${kind} source run`, async (t) => {
    const { readFile } = await import('node:fs/promises')
    let ticks = 0
    let immediates = 0
    let running = true
    const interval = setInterval(() => {
      ticks++
    }, 1)
    const again = () => {
      immediates++
      if (running) setImmediate(again)
    }
    setImmediate(again)
    let read = false
    readFile(new URL(import.meta.url)).then(() => {
      read = true
    })
    let executed = 0
    const started = performance.now()
    await execute({
      maxTasksInFlight: 100,
      taskSource: make(300_000),
      taskExecutor: () => {
        executed++
        return Promise.resolve()
      },
    })
    const elapsed = performance.now() - started
    running = false
    clearInterval(interval)
    t.is(executed, 300_000)
    // Promised is one chance each 10 ms.
    t.true(ticks >= elapsed / 50, `${ticks} ticks in ${elapsed} ms`)
    t.true(immediates >= elapsed / 50, `${immediates} immediates in ${elapsed} ms`)
    t.true(read, 'a file was read meanwhile')
  })
}

test('instant tasks do not recurse, even with a small stack', async (t) => {
  const run = await runFixture('instant-tasks.mjs', { nodeArgs: ['--stack-size=200', '--expose-gc'], args: [100_000] })
  assertCleanEnd(t, run)
  for (const { executed, ticks } of run.result) {
    t.is(executed, 100_000)
    t.true(ticks > 0)
  }
})
