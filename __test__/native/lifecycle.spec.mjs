// The library and its process: it ends when it is idle, whatever was going on, and workers come and go.
import { Worker } from 'node:worker_threads'
import test from 'ava'
import { SynchronizerProvider } from '../../index.mjs'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'
import { assertFree } from '../helpers/locks.mjs'

for (const mode of ['used', 'eager', 'referenced', 'garbage', 'pipeline']) {
  test(`a process that has no more to do ends by itself (${mode})`, async (t) => {
    const run = await runFixture('idle.mjs', { args: [mode] })
    assertCleanEnd(t, run)
    t.is(run.stdout.trim(), 'done')
  })
}

for (const mode of ['waiting', 'guard', 'queue', 'stalled source', 'silent merge']) {
  test(`a wait that can never end does not keep the process (${mode})`, async (t) => {
    const run = await runFixture('idle.mjs', { args: [mode] })
    assertCleanEnd(t, run)
    t.is(run.stdout.trim(), 'done')
  })
}

for (const mode of ['exit', 'exit in a section', 'exit in a listener', 'exit in an executor', 'throw in a timer']) {
  test(`a process may end in the middle of everything (${mode})`, async (t) => {
    const run = await runFixture('sudden-end.mjs', { args: [mode] })
    t.deepEqual(
      { code: run.code, signal: run.signal },
      { code: mode.startsWith('throw') ? 1 : 42, signal: null },
      run.stderr,
    )
    t.deepEqual(run.unhandled, [])
  })
}

test('workers use the same keys as the main thread, each for itself and without a mix-up', async (t) => {
  const run = await runFixture('workers.mjs', { args: ['keys'] })
  assertCleanEnd(t, run)
  const { results } = run.result
  t.is(results.length, 5)
  for (const result of results)
    t.deepEqual(result, { peak: 2, order: true, codes: ['ReentrantExecution', 'Throttle', 'Timeout'], left: 0 })
})

test('a worker that is terminated in the middle of waits leaves the others in order', async (t) => {
  const run = await runFixture('workers.mjs', { args: ['terminate'] })
  assertCleanEnd(t, run)
  t.deepEqual(run.result, { terminated: 20, entered: true })
})

test('workers that come and go leave nothing open', async (t) => {
  const run = await runFixture('workers.mjs', { args: ['come and go'] })
  assertCleanEnd(t, run)
  t.is(run.result.ended, 30)
})

test('a worker can load the library after another one has gone', async (t) => {
  for (let i = 0; i < 3; i++) {
    const worker = new Worker(new URL('../fixtures/worker-once.mjs', import.meta.url))
    const [message] = await Promise.all([
      new Promise((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
      }),
      new Promise((resolve) => {
        worker.once('exit', resolve)
      }),
    ])
    t.is(message, 'entered')
  }
  await assertFree(t, new SynchronizerProvider().forKey('key'))
})

test('a test runner that resets modules and runs them in vm contexts can load the library again and again', async (t) => {
  const run = await runFixture('module-resets.mjs', { nodeArgs: ['--expose-gc'] })
  assertCleanEnd(t, run)
  t.deepEqual(run.result, { loads: 12, handles: [] })
})

test('callbacks, errors and sources from another realm are taken as they are', async (t) => {
  const run = await runFixture('foreign-realm.mjs')
  assertCleanEnd(t, run)
  t.deepEqual(run.result, { value: 7, reason: 'foreign', tasks: [1, 2, 3], sameObject: true, aborted: 'stop' })
})
