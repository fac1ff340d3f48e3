// a panic of the native code becomes an Error of the promise concerned; permits, process and later calls stay whole.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import test from 'ava'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'
import { debugAddon } from '../helpers/debug-addon.mjs'

let addon
test.before(async (t) => {
  t.timeout(600_000)
  addon = await debugAddon()
})
test.after.always(() => addon && rm(path.dirname(addon), { recursive: true }))

/** What is done, and what comes of it when a place (first column) panics at a passage (second column). */
const sections = {
  enters: [
    ['acquire', 2, 'provoked in acquire'],
    ['enter', 2, 'provoked in enter'],
    ['leave', 1, 'provoked in leave'],
  ],
  throttled: [['tryAcquire', 1, 'provoked in tryAcquire']],
  'two sections': [
    ['leave', 1, 'provoked in leave, entered'],
    ['leave', 2, 'entered, provoked in leave'],
    ['acquire', 2, 'provoked in acquire, entered'],
  ],
  guards: [['leave', 1, 'provoked in leave, entered']],
  canceled: [['release', 1, 'provoked in release, entered']],
  core: [
    ['acquire', 2, 'provoked in acquire, second, third, 0'],
    ['release', 1, 'provoked in release, second, third, 0'],
    ['release', 2, 'first, provoked in release, third, 0'],
    ['release', 3, 'first, second, provoked in release, 0'],
  ],
  'complete all': [['tasks', 2, 'provoked in tasks']],
  'times out': [['cancel', 1, 'provoked in cancel, 1']],
  'is aborted': [['cancel', 1, 'provoked in cancel, 1']],
  'waits for a worker': [
    ['hearOfMail', 1, 'entered, nobody else is told'],
    ['takeMail', 1, 'entered, provoked in takeMail'],
    ['connect', 1, 'entered, provoked in connect'],
    ['heldElsewhere', 1, 'entered, provoked in heldElsewhere'],
  ],
  'worker ends': [
    ['close', 1, 'passed on'],
    ['dropBell', 1, 'passed on'],
    ['dropFunction', 1, 'passed on'],
  ],
  key: [
    ['leaseKey', 3, 'provoked in leaseKey'],
    ['identity', 3, 'provoked in identity'],
  ],
  'key twice': [
    ['leaseKey', 3, 'provoked in leaseKey, entered'],
    ['identity', 3, 'provoked in identity, entered'],
  ],
  object: [['createSemaphore', 1, 'provoked in createSemaphore']],
  provider: [['createTable', 1, 'provoked in createTable']],
  'shared provider': [['openSpace', 2, 'provoked in openSpace']],
  'object garbage': [['closeSemaphore', 1, 'provoked in closeSemaphore']],
  'provider garbage': [['closeTable', 1, 'provoked in closeTable']],
}

// The failure, how many sources that had begun were closed, and how many tasks were left running.
const pipelines = {
  runs: [
    ['isLimit', 1, 'provoked in isLimit,0,0'],
    ['createPipeline', 1, 'provoked in createPipeline,0,0'],
    ['begin', 1, 'provoked in begin,0,0'],
    ...['pulled', 'finished'].map((place) => [place, 2, `provoked in ${place},1,0`]),
    ['sourceEnded', 1, 'provoked in sourceEnded,1,0'],
    ['closePipeline', 1, 'provoked in closePipeline,1,0'],
  ],
  'runs by key': [['pulledKeyed', 2, 'provoked in pulledKeyed,1,0']],
  'runs by shared key': [
    ['pulledGated', 2, 'provoked in pulledGated,1,0'],
    ['opened', 2, 'provoked in opened,1,0'],
  ],
  'is aborted': [['abort', 1, 'provoked in abort,1,0']],
  // ... and how many hold the two keys then.
  'is aborted by shared key': ['abort', 'opened', 'finished'].map((place) => [place, 1, `provoked in ${place},1,0,00`]),
  'maps by shared key': ['pulledGated', 'opened', 'settled', 'takeResult'].map((place) => [
    place,
    place === 'takeResult' ? 2 : 1,
    `provoked in ${place},1,true,00`,
  ]),
  'tells progress': [['pulledCount', 1, 'done,1,0 onProgress threw provoked in pulledCount']],
  maps: ['pulled', 'settled', 'takeResult'].map((place) => [place, 2, `provoked in ${place},1,true`]),
}

const READ = 'read,read,read'
const files = {
  reads: [
    ['onJobsReady', 1, 'provoked in onJobsReady'],
    ['openRead', 1, 'provoked in openRead'],
    ['givePaths', 1, 'provoked in givePaths'],
    ['endPaths', 1, 'provoked in endPaths'],
    ['takeChunk', 1, 'provoked in takeChunk'],
    ['hearOfJobs', 1, READ],
    ['closeJob', 1, READ],
    ['readFile', 2, /^(read,)*Reading .* failed inside ya-syn-native: provoked in readFile(,read)*$/],
    ['reader', 1, READ],
    ['dropJob', 1, READ],
  ],
  'reads what it lists': [
    ['openReadOfList', 1, 'provoked in openReadOfList'],
    ['listFiles', 1, /provoked in listFiles/],
    ['faultOfPatterns', 1, 'provoked in faultOfPatterns'],
  ],
  lists: [
    ['openList', 1, 'provoked in openList'],
    ['listFiles', 1, /provoked in listFiles/],
  ],
  'returns early': [['closeJob', 1, 'returned']],
  'is aborted': [['closeJob', 1, 'aborted']],
  'large and collected': [['giveBuffer', 1, READ]],
  'slow and then fast': [['watcher', 1, '20000']],
}

const provoke = (kind, what, fault) =>
  runFixture('panics.mjs', {
    args: [`${kind}: ${what}`],
    env: { NAPI_RS_NATIVE_LIBRARY_PATH: addon, YA_SYN_NATIVE_PANIC: fault },
  })

for (const [kind, places] of Object.entries({ sections, pipelines, files })) {
  for (const [what, [place, time, expected]] of Object.entries(places).flatMap(([what, list]) =>
    list.map((entry) => [what, entry]),
  )) {
    test(`${kind}: ${what}, while the native code panics in ${place} (${time})`, async (t) => {
      t.timeout(120_000)
      if (addon === undefined) return void t.pass('there is no cargo to build an addon that can panic')
      const run = await provoke(kind, what, `${place}:${time}`)
      assertCleanEnd(t, run)
      const { failure, held, later, tasks } = run.result
      t.is(held, undefined)
      if (expected instanceof RegExp) t.regex(failure, expected)
      else t.is(failure, expected)
      t.deepEqual(later, ['thrown on', 'entered', 'done,1,0', 'done,2,true', READ, 3])
      t.deepEqual(tasks, [0, 0])
      t.regex(run.stderr, new RegExp(`panicked at .*test_hooks.rs.*\n.*provoked in ${place}`))
    })
  }
}

// A place that panics every time: nothing works there any more, but nothing hangs, and permits go on.
for (const [kind, what, place, expected] of [
  ['sections', 'two sections', 'leave', 'provoked in leave, provoked in leave'],
  ['sections', 'guards', 'leave', 'provoked in leave'],
  ['sections', 'core', 'release', 'provoked in release, provoked in release, provoked in release, 0'],
  ['sections', 'times out', 'cancel', 'provoked in cancel, 1'],
  ['pipelines', 'runs', 'finished', 'provoked in finished,1,0'],
  ['pipelines', 'is aborted', 'abort', 'provoked in abort,1,0'],
  ['pipelines', 'maps', 'takeResult', 'provoked in takeResult,0,true'],
  ['files', 'reads', 'takeChunk', 'provoked in takeChunk'],
  ['files', 'reads', 'hearOfJobs', READ],
  ['files', 'returns early', 'closeJob', 'returned'],
]) {
  test(`${kind}: ${what}, while the native code panics in ${place} every time`, async (t) => {
    t.timeout(120_000)
    if (addon === undefined) return void t.pass('there is no cargo to build an addon that can panic')
    const run = await provoke(kind, what, place)
    assertCleanEnd(t, run)
    const { failure, held, tasks } = run.result
    t.is(failure, expected)
    t.is(held, place === 'leave' ? 'provoked in leave' : undefined)
    t.deepEqual(tasks, [0, 0])
  })
}
