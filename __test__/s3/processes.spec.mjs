// Promises about whole processes: what ends and what stays alive, exits and threads that end in the middle, panics.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import test from 'ava'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'
import { debugAddon } from '../helpers/debug-addon.mjs'
import { Bucket, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

let addon
test.before(async (t) => {
  t.timeout(600_000)
  addon = await debugAddon()
})
test.after.always(() => addon && rm(path.dirname(addon), { recursive: true }))

const MEGABYTE = 1024 * 1024

const run = (what, endpoint, options) =>
  runFixture('../s3/fixtures/lifetime.mjs', { args: [what, endpoint], ...options })

const lifetimes = {
  run: [500, 'a process that only waits for deletePrefix stays until it is done, and ends'],
  list: [500, 'so does one that reads a listing'],
  call: ['deleted', 'so does one that waits for a call of an executor'],
  fused: [0, 'so does one that waits for executeTasks'],
  credentials: [500, 'so does one whose job waits for credentials'],
  unclosed: ['left', 'a client that was not closed does not keep the process, nor a listing that nobody asks'],
  closed: ['closed', 'nor one that was closed'],
}
for (const [what, [expected, title]] of Object.entries(lifetimes)) {
  serial(`${title} (${what})`, async (t) => {
    t.timeout(120_000)
    const { server } = t.context
    await server.configure({ latencyDelete: 200, latencyList: 200 })
    await server.seed({ bucket: Bucket, template: '{i:04}', count: 500 })
    const ended = await run(what, server.endpoint)
    assertCleanEnd(t, ended)
    const { got, ms } = ended.result
    t.is(got, expected)
    t.true(ended.ms - ms < 5000, `it lingered for ${ended.ms - ms} ms`)
  })
}

for (const [what, code] of [
  ['exit', 42],
  ['throw', 1],
]) {
  serial(`a process that ends in the middle of many jobs ends with its code: ${what}`, async (t) => {
    t.timeout(120_000)
    const { server } = t.context
    await server.configure({ latencyDelete: 20, latencyList: 20 })
    await server.seed({ bucket: Bucket, template: '{i:04}', count: 5000 })
    for (let i = 0; i < 5; i++) {
      const ended = await run(what, server.endpoint)
      t.deepEqual([ended.code, ended.signal, ended.timedOut], [code, null, false], ended.stderr)
    }
  })
}

serial('threads that end in the middle of jobs leave nobody hanging', async (t) => {
  const { server } = t.context
  await server.configure({ latencyDelete: 20, latencyList: 5 })
  await server.seed({ bucket: Bucket, template: '{i:04}', count: 2000 })
  const ended = await run('terminated', server.endpoint)
  assertCleanEnd(t, ended)
  t.is(ended.result.got, 0)
})

for (const how of ['deletePrefix', 'fused', 'JavaScript', 'list']) {
  serial(`the memory is flat over many keys, and the first refusal told within a second: ${how}`, async (t) => {
    t.timeout(120_000)
    const { server } = t.context
    await server.seed({ bucket: Bucket, template: '{i%16:02}/{i:08}', count: 200_000 })
    await server.faults([{ operation: 'DeleteObjects', times: 'always', status: 403, code: 'AccessDenied' }])
    const ended = await runFixture('../s3/fixtures/memory.mjs', { args: [server.endpoint, 200_000, how] })
    assertCleanEnd(t, ended)
    const { seen, first, growth, peak, ms } = ended.result
    t.is(seen, 200_000)
    // On a machine that others keep busy, a second is no measure.
    t.true(first < 1000 || first < ms / 2, `${first} of ${ms} ms`)
    t.true(growth < 24 * MEGABYTE, `the RSS grew by ${growth} bytes to ${peak}`)
  })
}

const places = {
  rejects: [
    's3 page',
    's3 delete',
    's3 finished',
    'openS3Client',
    'listS3',
    'openS3Deleter',
    'deleteS3',
    'runS3',
    'openS3Questions',
    'takeChunk:2',
  ],
  warns: [
    'readS3',
    'stopS3',
    'answerS3Permit',
    'answerS3Credentials',
    'isS3Single',
    'closeJob',
    'closeS3Client',
    'takeChunk:1',
  ],
}
for (const place of [...places.rejects, ...places.warns]) {
  const becomes = places.rejects.includes(place) ? 'an Error' : 'a warning'
  serial(`a panic in ${place} becomes ${becomes}, and later calls work`, async (t) => {
    t.timeout(120_000)
    if (addon === undefined) return void t.pass('there is no cargo to build an addon that can panic')
    const { server } = t.context
    await server.configure({ latencyDelete: 150, latencyList: 100 })
    await server.seed({ bucket: Bucket, template: '{i:04}', count: 50 })
    const env = {
      NAPI_RS_NATIVE_LIBRARY_PATH: addon,
      YA_SYN_NATIVE_PANIC: place.includes(':') ? place : `${place}:1`,
      RUST_BACKTRACE: '0',
    }
    const ended = await runFixture('../s3/fixtures/panics.mjs', { args: [server.endpoint], env })
    assertCleanEnd(t, ended)
    const { failure, ...rest } = ended.result
    const provoked = new RegExp(`provoked in ${place.split(':')[0]}`)
    if (becomes === 'an Error') t.regex(failure, provoked)
    else t.deepEqual([failure, provoked.test(ended.stderr)], [undefined, true])
    t.deepEqual(rest, { left: 0, tasks: 0, prefix: 0 })
  })
}
