// Kinds of runs, their limits, and the ways in which they stop: what the tests in this folder combine.
import { getEventListeners } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { SynchronizerProvider } from '../../index.mjs'
import { listFiles } from '../../fs.mjs'
import { outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { recordedSource } from '../helpers/sources.mjs'

export const COUNT = 12
export const KEYS = ['key 0', 'key 1', 'key 2']
const sp = new SynchronizerProvider()
let names = 0

/** The providers whose synchronizers limit a run, or none. */
export const limits = {
  'without limits per key': () => ({}),
  'with limits per key': () => ({ limit: {} }),
  'with synchronizers of the thread': () => withProvider(new SynchronizerProvider()),
  'with synchronizers of the process': () => withProvider(new SynchronizerProvider({ providerId: `stops ${names++}`, scope: 'process' })),
}

function withProvider(synchronizers) {
  return { limit: { synchronizers }, locks: KEYS.map(key => synchronizers.forKey(key, 1)) }
}

/** A folder with `COUNT` files, of which the names are the tasks. */
export function folderOfTasks() {
  const folder = mkdtempSync(path.join(tmpdir(), 'ya-syn-stops-'))
  for (let task = 0; task < COUNT; task++) writeFileSync(path.join(folder, String(task).padStart(2, '0')), '')
  return folder
}

/** Where tasks come from: `give(task)` may throw in its place. */
export const sources = {
  'a JavaScript source': give => recordedSource(async call => {
    if (call > COUNT) return { done: true, value: undefined }
    return { done: false, value: { task: give(call - 1) } }
  }),
  'a listing of files': (_, folder) => listFiles(folder),
}

/** The very object that the library is given; `onGiven` gets it too. */
function given(options, own = {}) {
  const object = { ...options, ...own }
  options.onGiven?.(object)
  return object
}

const numberOf = task => Number(path.basename(String(task)))

/** Each runs `work(number)` for every task, and gives the results that a caller sees. */
export const kinds = {
  async executeTasks({ work, ...options }) {
    await sp.executeTasks(given(options, { taskExecutor: ({ task }) => work(numberOf(task)) }))
    return undefined
  },
  'mapTasks in order': options => map({ ...options, ordered: true }),
  'mapTasks as completed': options => map({ ...options, ordered: false }),
  async mapAll({ work, taskSource, maxTasksInExecution, signal, results, onGiven }) {
    const values = { next: async () => { const { done, value } = await taskSource.next(); return { done, value: value?.task } }, return: () => taskSource.return() }
    results.push(...await sp.mapAll(values, task => work(numberOf(task)), given({ maxTasksInExecution, signal, onGiven })))
  },
}

async function map({ work, results, leavesAfter = Infinity, ...options }) {
  for await (const result of sp.mapTasks(given(options, { taskMapper: ({ task }) => work(numberOf(task)) }))) {
    results.push(result)
    if (results.length >= leavesAfter) break
  }
}

const failure = new Error('the failure')
const unsettled = Symbol('unsettled')

/**
 * The ways in which a run stops. `fits` tells which kinds know them, `at` what happens as a task is worked on, `give` as it is
 * pulled, `begin` before and `end` after the run; `reason(kind)` is what the run rejects with, or nothing.
 */
export const stops = {
  'all goes well': {},
  'the source fails at once': { fits: isScripted, give: fail, reason: () => failure, endsSource: true },
  'the source fails later': { fits: isScripted, give: task => task < 7 ? task : fail(), reason: () => failure, endsSource: true },
  'the source gives no task': { fits: (kind, source) => isScripted(kind, source) && hasHandler(kind), give: task => task, spoil: true, reason: () => unsettled },
  'an executor throws': { at: { 4: fail }, reason: kind => kind === 'executeTasks' ? undefined : failure },
  'every executor rejects': { always: async () => { await turn(); fail() }, reason: kind => kind === 'executeTasks' ? undefined : failure },
  'executors fail and a handler is told': { fits: hasHandler, always: task => task % 2 ? fail() : task, onTaskError() {} },
  'the handler of failures fails': { fits: hasHandler, at: { 4: fail }, onTaskError: fail, reason: () => failure },
  'the consumer leaves at once': { fits: isIteration, leavesAfter: 1, isEarly: true },
  'the consumer leaves later': { fits: isIteration, leavesAfter: 5, isEarly: true },
  'it is aborted before': { begin: stop, reason: () => failure },
  'it is aborted by an executor': { at: { 4: (task, run) => stop(run) }, reason: () => failure },
  'it is aborted by the source': { fits: isScripted, give: (task, run) => { if (task === 6) stop(run); return task }, reason: () => failure },
  'it is aborted in the next turn': { begin: run => { setImmediate(stop, run) }, always: async () => { await turn(); await turn() }, reason: () => failure },
  'it is aborted after the end': { end: stop },
}

function fail() {
  throw failure
}
function stop({ controller }) {
  controller.abort(failure)
}
function isScripted(kind, source) {
  return source === 'a JavaScript source'
}
function hasHandler(kind) {
  return kind !== 'mapAll'
}
function isIteration(kind) {
  return kind.startsWith('mapTasks')
}

/** Carries out one combination, and checks that nothing is left of it. */
export async function checkStop(t, { kind, source, limit, stop, folder }) {
  const way = stops[stop]
  const { limit: perKey, locks = [] } = limits[limit]()
  const controller = new AbortController()
  const run = { controller }
  const give = task => way.give === undefined ? task : way.give(task, run)
  const taskSource = sources[source](way.spoil ? task => task : give, folder)
  if (way.spoil) taskSource.next = async () => ({ done: false, value: 'no task' })
  const results = []
  const seen = []
  let running = 0
  const work = async task => {
    running++
    try {
      seen.push(task)
      await turn()
      await way.at?.[task]?.(task, run)
      await way.always?.(task, run)
      return task
    } finally {
      running--
    }
  }
  const options = {
    maxTasksInFlight: 5,
    maxTasksInExecution: 2,
    taskSource,
    signal: controller.signal,
    onTaskError: way.onTaskError,
    ...(perKey && { limitPerKey: { key: task => KEYS[numberOf(task) % KEYS.length], maxTasksInExecution: 1, ...perKey } }),
    work,
    results,
    leavesAfter: way.leavesAfter,
  }
  way.begin?.(run)
  const { status, reason } = await settlesWithin(outcome(() => kinds[kind](options)))
  // All is free at the very moment at which the run has settled.
  for (const lock of locks) {
    t.deepEqual(lock.stats, { maxConcurrentExecution: 1, numberOfTasks: 0, numberOfRunningTasks: 0 }, lock.synchronizerId)
    t.is(await lock.throttle().synchronized(async () => 'entered'), 'entered')
  }
  t.is(running, 0)
  t.is(getEventListeners(controller.signal, 'abort').length, 0)
  way.end?.(run)
  const expected = way.reason?.(kind)
  if (expected === unsettled) t.is(status, 'rejected')
  else t.deepEqual([status, reason], expected === undefined ? ['fulfilled', undefined] : ['rejected', expected])
  checkTasks(t, { kind, seen, results, isWhole: expected === undefined && !way.isEarly })
  checkSource(t, { taskSource, way, expected, kind })
  const started = seen.length
  await turn()
  t.is(seen.length, started, 'nothing starts afterwards')
}

function checkTasks(t, { kind, seen, results, isWhole }) {
  const all = Array.from({ length: COUNT }, (_, i) => i)
  t.is(new Set(seen).size, seen.length, 'no task runs twice')
  if (isWhole) t.deepEqual(seen.toSorted((a, b) => a - b), all)
  t.is(new Set(results).size, results.length)
  if (kind === 'mapTasks in order') t.deepEqual(results, results.toSorted((a, b) => a - b))
  for (const result of results) t.true(seen.includes(result))
}

function checkSource(t, { taskSource, way, expected, kind }) {
  if (taskSource.returnCalls === undefined) return
  // A source that has failed or has ended is not closed; a run that stops before that closes it once.
  const isClosed = !way.endsSource && taskSource.nextCalls <= COUNT
  if (expected === undefined && !way.isEarly) t.false(isClosed, kind)
  t.is(taskSource.returnCalls, isClosed ? 1 : 0)
}
