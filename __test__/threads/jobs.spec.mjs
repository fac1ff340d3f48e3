// Native jobs and the end of the thread or the process that began them: nothing hangs, crashes or is left behind.
import test from 'ava'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

const run = (mode, ...args) => runFixture('jobs.mjs', { args: [mode, ...args] })

for (const [ending, [title, code]] of Object.entries({
  throw: ['throw', 1],
  leave: ['end in the middle', 0],
  terminate: ['are terminated', 1],
  spin: ['are terminated in a busy loop', 1],
  exit: ['call process.exit', 3],
})) {
  test(`the jobs of threads that ${title} are cancelled, and those of others go on`, async (t) => {
    const ended = await run(`workers: ${ending}`)
    assertCleanEnd(t, ended)
    t.deepEqual(ended.result, { codes: [code, code, code], ours: true, later: true })
  })
}

for (const mode of [
  'exit with jobs',
  'exit with pipes',
  'exit with jobs in threads',
  'exit at a chunk',
  'throw with jobs',
]) {
  test(`a process ends in the middle of a thousand native jobs with its exit code (${mode})`, async (t) => {
    t.timeout(120_000)
    for (const delay of mode === 'exit at a chunk' ? [0] : [0, 5, 50]) {
      const { code, signal, timedOut, stderr } = await run(mode, delay)
      t.deepEqual(
        { code, signal, timedOut },
        { code: mode.startsWith('throw') ? 1 : 42, signal: null, timedOut: false },
        stderr,
      )
    }
  })
}

test('a process that used jobs and has finished ends at once', async (t) => {
  let printedAt
  const ended = await runFixture('jobs.mjs', {
    args: ['used and finished'],
    whenPrinted: () => {
      printedAt = performance.now()
    },
  })
  assertCleanEnd(t, ended)
  t.true(ended.result)
  t.true(performance.now() - printedAt < 2000)
})

test('a process that waits for nothing but a job stays until it settles', async (t) => {
  const ended = await run('stays for a job')
  assertCleanEnd(t, ended)
  t.is(ended.result, 'written')
})

test('so does a thread, and it ends when its job has settled', async (t) => {
  const ended = await run('a worker stays for a job')
  assertCleanEnd(t, ended)
  t.deepEqual(ended.result, [true, 0])
})

test('the library is loaded in workers only, with jobs in each, unloaded with the last of them and loaded again', async (t) => {
  const ended = await run('only in workers')
  assertCleanEnd(t, ended)
  t.deepEqual(ended.result, Array(12).fill(true))
})
