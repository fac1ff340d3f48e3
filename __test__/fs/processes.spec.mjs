// Promises about whole processes: descriptors, memory, what ends and what stays alive.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'
import { debugAddon } from '../helpers/debug-addon.mjs'
import { runLimited } from './limited.mjs'

let addon
test.before(async (t) => {
  t.timeout(600_000)
  addon = await debugAddon()
})
test.after.always(() => addon && rm(path.dirname(addon), { recursive: true }))

test('under ulimit -n 64 all files are read, and others keep descriptors', async (t) => {
  t.timeout(120_000)
  const run = await runLimited('few-descriptors.mjs', 64)
  assertCleanEnd(t, run)
  const { counts, held, more } = run.result
  t.deepEqual(counts, Array(8).fill(20_000))
  t.true(held > 20)
  t.true(more <= 10, `${more} more descriptors`)
})

test('listing waits for descriptors, as reading does', async (t) => {
  t.timeout(60_000)
  const run = await runLimited('list-few-descriptors.mjs', 64)
  assertCleanEnd(t, run)
  t.deepEqual(run.result, { counts: [100, 100, 100] })
})

for (const [runtime, args] of [
  ['deno', ['run', '--allow-all']],
  ['bun', []],
]) {
  test(`files are read and listed in ${runtime}`, async (t) => {
    t.timeout(60_000)
    const fixture = fileURLToPath(new URL('fixtures/runtime.mjs', import.meta.url))
    const run = await promisify(execFile)(runtime, [...args, fixture], { timeout: 50_000 }).catch((error) => error)
    if (run.code === 'ENOENT') return void t.pass('it is not installed')
    t.deepEqual(
      JSON.parse(run.stdout || '{}'),
      { lock: 'locked', read: true, code: 'ENOENT', listed: true },
      run.stderr,
    )
  })
}

test('the RSS reaches a plateau', async (t) => {
  t.timeout(300_000)
  const run = await runFixture('../fs/fixtures/memory.mjs', { args: [120], timeout: 300_000 })
  assertCleanEnd(t, run)
  const { early, late } = run.result
  t.true(late < early * 1.2, `${early} and then ${late}`)
})

const lifetimes = {
  file: ['text', 'a process that only waits for a file stays until it is read, and ends'],
  list: [1, 'so does one that waits for a listing'],
  timeout: ['ETIMEDOUT', 'a pipe that nobody writes to does not keep it after the timeout'],
  abandoned: ['returned', 'nor after return()'],
  unread: [true, 'nor when its file is never asked for'],
  terminated: ['text', 'workers can end while they read'],
}
for (const [what, [expected, title]] of Object.entries(lifetimes)) {
  test(title, async (t) => {
    t.timeout(60_000)
    const run = await runFixture('../fs/fixtures/lifetime.mjs', { args: [what] })
    assertCleanEnd(t, run)
    t.is(run.result, expected)
  })
}

test('files on a dead mount hold up no others, end at their timeout, and do not keep the process', async (t) => {
  t.timeout(120_000)
  if (addon === undefined) return void t.pass('there is no cargo to build an addon that can stall')
  const env = { NAPI_RS_NATIVE_LIBRARY_PATH: addon, YA_SYN_NATIVE_STALL: 'readFile:20' }
  const run = await runFixture('../fs/fixtures/stalls.mjs', { env })
  assertCleanEnd(t, run)
  t.deepEqual(run.result, { read: 980, late: 20, again: 1000 })
})

test('files that take longer to look at than their timeout keep no bytes in flight, and the call settles', async (t) => {
  t.timeout(120_000)
  if (addon === undefined) return void t.pass('there is no cargo to build an addon that can stall')
  const env = { NAPI_RS_NATIVE_LIBRARY_PATH: addon, YA_SYN_NATIVE_STALL: 'readFile:6:400' }
  const run = await runFixture('../fs/fixtures/slow-stats.mjs', { env })
  assertCleanEnd(t, run)
  t.deepEqual(run.result, { read: 200, late: true })
})
