// Test runners fake clocks and replace globals after the library was loaded.
import test from 'ava'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

test('with all clocks faked and other globals broken everything completes, and only time limits follow the faked clock', async (t) => {
  const run = await runFixture('faked-globals.mjs', { nodeArgs: ['--expose-gc', '--no-warnings'] })
  assertCleanEnd(t, run)
  t.deepEqual(run.result, {
    locks: 'second',
    semaphores: '1,2,3',
    executeTasks: 50_000,
    mapAll: '2,3,4',
    mapTasks: 'a,b',
    readFilesToArray: 'text',
    'keys are closed': 'closed',
    WeakIndexMap: 'emptied',
    timeout: 'Timeout',
    acquire: 'Timeout',
    wait: 'waited',
  })
})
