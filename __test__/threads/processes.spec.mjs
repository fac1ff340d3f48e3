// Processes with threads that share keys: they stay while a thread waits for another, and end at once otherwise.
import test from 'ava'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

for (const [mode, result] of Object.entries({
  used: 'entered',
  'waits for a thread': 'entered',
  'waits for a thread with a limit': 'entered',
  'a thread waits': ['entered', false],
  'own permit': 'nothing to wait for',
  'the permit came back': 'nothing to wait for',
  'a worker holds for ever': 'Timeout',
  'terminate with waits': [0, 0],
})) {
  test(`a process ends by itself when no thread waits for another (${mode})`, async (t) => {
    const run = await runFixture('process-scope.mjs', { args: [mode] })
    assertCleanEnd(t, run)
    t.deepEqual(run.result, result)
  })
}

test('a process that used the library and has finished ends at once', async (t) => {
  let printedAt
  const run = await runFixture('process-scope.mjs', {
    args: ['used'],
    whenPrinted: () => {
      printedAt = performance.now()
    },
  })
  assertCleanEnd(t, run)
  t.true(performance.now() - printedAt < 2000)
})

for (const [mode, code] of Object.entries({ 'exit with waits': 42, 'throw with waits': 1 })) {
  test(`a process may end in the middle of hundreds of waits between threads (${mode})`, async (t) => {
    for (let i = 0; i < 3; i++) {
      const run = await runFixture('process-scope.mjs', { args: [mode] })
      t.deepEqual([run.code, run.signal, run.timedOut], [code, null, false], run.stderr)
    }
  })
}

for (const env of [{}, { FORGET: '1' }]) {
  test(`the library is loaded in workers only, unloaded with the last of them and loaded again (${Object.keys(env)})`, async (t) => {
    const run = await runFixture('only-in-workers.mjs', { env })
    assertCleanEnd(t, run)
    t.is(run.result, 5)
  })
}

for (const mode of ['fork', 'cluster']) {
  test(`each process has a scope of its own (${mode})`, async (t) => {
    const run = await runFixture('own-scope.mjs', { args: [mode] })
    assertCleanEnd(t, run)
    t.true(run.result)
  })
}
