// What a million calls leave behind. `YA_SYN_HEAVY_COUNT` sets another number of calls, above 100,000, for a shorter run.
import test from 'ava'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

const count = Number(process.env.YA_SYN_HEAVY_COUNT ?? 1_000_000)
const MEGABYTE = 1024 * 1024
const TEN_MINUTES = 600_000

// One after the other: each measures a process and wants the machine for itself.
for (const outcome of ['resolve', 'reject', 'timeout', 'throttle', 'abort', 'cancel', 'guard', 're-entry', 'chain']) {
  test.serial(`${count} calls that end in ${outcome} leave the memory where 100,000 left it`, async (t) => {
    t.timeout(TEN_MINUTES)
    const run = await runFixture('outcome-memory.mjs', {
      nodeArgs: ['--expose-gc'],
      args: [outcome, count],
      timeout: TEN_MINUTES,
    })
    assertCleanEnd(t, run)
    const { calls, rss, heap } = run.result
    t.is(calls, count)
    t.true(rss.after - rss.before < 10 * MEGABYTE, `RSS went from ${rss.before} to ${rss.after}`)
    t.true(heap.after - heap.before < 5 * MEGABYTE, `the heap went from ${heap.before} to ${heap.after}`)
  })
}

test.serial(`${count} keys used once go back to 0`, async (t) => {
  t.timeout(TEN_MINUTES)
  const run = await runFixture('keys-used-once.mjs', { nodeArgs: ['--expose-gc'], args: [count], timeout: TEN_MINUTES })
  assertCleanEnd(t, run)
  t.is(run.result.left, 0)
  t.true(run.result.longestTurn < 1000, `giving the keys up held the event loop for ${run.result.longestTurn} ms`)
})

test.serial(`${count / 5} large values merged beside a silent source leave the heap flat`, async (t) => {
  t.timeout(TEN_MINUTES)
  const run = await runFixture('merge-memory.mjs', {
    nodeArgs: ['--expose-gc'],
    args: [count / 5],
    timeout: TEN_MINUTES,
  })
  assertCleanEnd(t, run)
  t.true(run.result.growth < 20e6, `the heap grew by ${run.result.growth} bytes`)
})

test.serial(`${count} instant tasks leave the heap flat, recurse nowhere and let timers tick`, async (t) => {
  t.timeout(TEN_MINUTES)
  const run = await runFixture('instant-tasks.mjs', {
    nodeArgs: ['--stack-size=200', '--expose-gc'],
    args: [count],
    timeout: TEN_MINUTES,
  })
  assertCleanEnd(t, run)
  for (const { source, executor, executed, ticks, growth } of run.result) {
    t.is(executed, count)
    t.true(ticks > 0)
    t.true(growth < 10 * MEGABYTE, `${source} source, ${executor} executor: the heap grew by ${growth} bytes`)
  }
})
