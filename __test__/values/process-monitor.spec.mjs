// ProcessMonitor: signals end its waits. Each test is a process of its own, since signals are the process's.
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { LazyInitializer, ProcessMonitor } from '../../index.mjs'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

/** Runs a mode of the fixture and sends it the signals it asks for by printing their names. */
const run = (mode) =>
  runFixture('process-monitor.mjs', {
    args: [mode],
    whenPrinted: (line, child) => {
      if (line.startsWith('SIG')) child.kill(line)
    },
  })

test('sleep is a LazyInitializer of a promise-based setTimeout', async (t) => {
  const { sleep: lazy } = new ProcessMonitor()
  t.true(lazy instanceof LazyInitializer)
  t.is(await lazy.get(), sleep)
})

test('wait(ms) resolves with nothing after its time', async (t) => {
  const monitor = new ProcessMonitor()
  const started = performance.now()
  t.is(await monitor.wait(20), undefined)
  t.true(performance.now() - started > 15)
  t.true(monitor.isRunning)
  t.false(monitor.isTerminating)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  test(`the first ${signal} aborts the waits of every monitor`, async (t) => {
    const result = await run(`abort ${signal}`)
    assertCleanEnd(t, result)
    t.deepEqual(result.result, {
      before: { isRunning: true, isTerminating: false },
      names: ['AbortError', 'AbortError', 'AbortError'],
      after: { isRunning: false, isTerminating: true },
      late: 'AbortError',
    })
  })

  test(`a second ${signal} ends the program as if nobody listened`, async (t) => {
    const result = await run(`twice ${signal}`)
    t.deepEqual({ code: result.code, signal: result.signal }, { code: null, signal })
  })
}

test('waits leave no listener behind, and warn of none', async (t) => {
  const result = await run('listeners')
  assertCleanEnd(t, result)
  t.deepEqual(result.result.after, result.result.before)
  t.notRegex(result.stderr, /MaxListeners/)
})

test('an aborted wait leaves no listener either', async (t) => {
  const result = await run('aborted listeners')
  assertCleanEnd(t, result)
  t.notRegex(result.stderr, /MaxListeners/)
})

test('a monitor does not keep its process alive', async (t) => {
  const result = await run('idle')
  assertCleanEnd(t, result)
})
