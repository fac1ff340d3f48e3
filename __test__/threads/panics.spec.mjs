// N04: a panic of the native code becomes an Error of the promise concerned; permits, process and later calls stay whole.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import test from 'ava'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'
import { debugAddon } from '../helpers/debug-addon.mjs'

let addon
test.before(async t => {
  t.timeout(600_000)
  addon = await debugAddon()
})
test.after.always(() => addon && rm(path.dirname(addon), { recursive: true }))

/** What each place is, at which passage it panics, and what whoever is concerned gets. */
const places = {
  acquire: ['taking a permit', 2, 'provoked in acquire'],
  tryAcquire: ['taking a free permit', 1, 'provoked in tryAcquire'],
  enter: ['entering with a permit in hand', 2, 'provoked in enter'],
  leaseKey: ['opening a key', 3, 'provoked in leaseKey'],
  createSemaphore: ['opening a semaphore', 1, 'provoked in createSemaphore'],
  closeSemaphore: ['dropping what was collected, of which a warning tells', 1, 'provoked in closeSemaphore'],
  close: ['the end of a worker, whose permit goes on all the same', 1, 'passed on'],
}

for (const [place, [what, time, failure]] of Object.entries(places)) {
  test(`N04: a panic in ${what} (${place}) while a key is held`, async t => {
    t.timeout(120_000)
    if (addon === undefined) return void t.pass('there is no cargo to build an addon that can panic')
    const env = { NAPI_RS_NATIVE_LIBRARY_PATH: addon, YA_SYN_NATIVE_PANIC: `${place}:${time}` }
    const run = await runFixture('panics.mjs', { args: [place], env })
    assertCleanEnd(t, run)
    t.deepEqual(run.result, { failure, thrown: 'thrown on', later: 'entered', tasks: [0, 0] })
    t.regex(run.stderr, new RegExp(`panicked at .*faults.rs.*\n.*provoked in ${place}`))
  })
}
