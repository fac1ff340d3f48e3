// Every way in which a run with ends of S3 can stop: every permit is free at once, nothing runs on, and keys are deleted or left whole.
import { getEventListeners } from 'node:events'
import test from 'ava'
import { SynchronizerProvider, rebatchTasks } from 'ya-syn-native'
import { outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { Bucket, keysOf, numbered, waitUntil, withStore } from './store.mjs'

withStore(test)
const sp = new SynchronizerProvider()
const PREFIXES = ['a/', 'b/', 'c/']
const COUNT = 120
let names = 0

const limits = {
  'without limits per key': () => undefined,
  'with limits per key': () => ({}),
  'with synchronizers of the thread': () => ({ synchronizers: new SynchronizerProvider() }),
  'with synchronizers of the process': () => ({ synchronizers: new SynchronizerProvider({ providerId: `s3 stops ${names++}`, scope: 'process' }) }),
}

const deletion = ({ limit }) => ({ Bucket, batchSize: 10, maxTasksInExecution: 2, ...(limit && { limitPerKey: { prefixLength: 2, maxTasksInExecution: 1, ...limit } }) })
const listing = { Bucket, MaxKeys: 15, parallelListing: 1 }
const tasks = { maxTasksInFlight: 6, maxTasksInExecution: 3 }
const drain = async iterable => { for await (const _ of iterable); }
const byPage = limit => limit && { key: page => page[0].slice(0, 2), maxTasksInExecution: 1, ...limit }

/** Each deletes all keys of the bucket. */
const kinds = {
  'a call of the executor': async run => run.client.deleteObjects({ ...deletion(run), signal: run.signal })({ task: await keysOf(run.client) }),
  deletePrefix: run => run.client.deletePrefix({ ...deletion(run), all: true, MaxKeys: 15, parallelListing: 1, signal: run.signal, onTaskError: run.onTaskError, onProgress() {} }),
  'a fused run': run => sp.executeTasks({ ...tasks, taskSource: run.client.listKeys(listing), taskExecutor: run.client.deleteObjects(deletion(run)), signal: run.signal, onTaskError: run.onTaskError }),
  'a run of a listing that is cut again': run => sp.executeTasks({
    ...tasks, taskSource: rebatchTasks(run.client.listKeys(listing), 7), taskExecutor: run.client.deleteObjects(deletion(run)), signal: run.signal, onTaskError: run.onTaskError,
  }),
  'a run that calls the executor from JavaScript': run => {
    const del = run.client.deleteObjects({ Bucket, batchSize: 10 })
    return sp.executeTasks({ ...tasks, taskSource: run.client.listKeys(listing), taskExecutor: page => del(page), signal: run.signal, onTaskError: run.onTaskError, limitPerKey: byPage(run.limit) })
  },
  'mapTasks over a listing': run => {
    const del = run.client.deleteObjects({ Bucket, batchSize: 10 })
    return drain(sp.mapTasks({ ...tasks, taskSource: run.client.listKeys(listing), taskMapper: page => del(page), signal: run.signal, onTaskError: run.onTaskError, limitPerKey: byPage(run.limit) }))
  },
}

const reason = new Error('stop')
const isBusy = async ({ server }) => Object.values((await server.stats()).inFlight.byOperation).some(({ now }) => now > 0)

/** What is done before the run, and while it goes on; `isWhole` says that it comes to its end, and nothing fails. */
const stops = {
  'all goes well': { isWhole: true },
  'it is aborted before': { begin: ({ controller }) => controller.abort(reason) },
  'it is aborted at once': { during: ({ controller }) => controller.abort(reason) },
  'it is aborted while requests are on their way': { during: async run => { await waitUntil(() => isBusy(run)); run.controller.abort(reason) } },
  'the client is closed': { during: async run => { await waitUntil(() => isBusy(run)); await run.client.close() } },
  'the listing fails at once': { begin: ({ server }) => server.faults([{ operation: 'ListObjectsV2', times: 'always', status: 403, code: 'AccessDenied' }]) },
  'the listing fails later': { begin: ({ server }) => server.faults([{ operation: 'ListObjectsV2', nth: 4, times: 'always', status: 403, code: 'AccessDenied' }]) },
  'all deletes are denied': { begin: ({ server }) => server.faults([{ operation: 'DeleteObjects', times: 'always', status: 403, code: 'AccessDenied' }]) },
  'some keys can not be deleted': {
    begin: ({ server }) => server.faults([{ operation: 'DeleteObjects', times: 'always', prefix: 'b/', keyError: { code: 'AccessDenied', message: 'no' } }]),
  },
  'the handler of failures fails': {
    begin: run => {
      run.onTaskError = () => { throw reason }
      return run.server.faults([{ operation: 'DeleteObjects', times: 'always', prefix: 'b/', keyError: { code: 'AccessDenied', message: 'no' } }])
    },
  },
}

for (const [kind, start] of Object.entries(kinds)) {
  for (const [limitName, newLimit] of Object.entries(limits)) {
    for (const [stop, { begin, during, isWhole }] of Object.entries(stops)) {
      test.serial(`${kind} ${limitName} leaves nothing held when ${stop}`, async t => {
        const { open, server } = t.context
        const controller = new AbortController()
        const limit = newLimit()
        const run = { client: open({ maxAttempts: 1 }), server, controller, signal: controller.signal, limit, onTaskError: undefined }
        const locks = limit?.synchronizers ? PREFIXES.map(prefix => limit.synchronizers.forKey(prefix, 1)) : []
        await server.seed({ bucket: Bucket, keys: numbered(COUNT, i => `${PREFIXES[i % 3]}${i}`) })
        await server.configure({ latencyDelete: 3 })
        await begin?.(run)
        const ended = settlesWithin(outcome(() => start(run)))
        await during?.(run)
        const { status } = await ended
        // A call of an executor shares its requests with others, so those that are on their way may outlast it.
        for (const lock of locks) await waitUntil(() => lock.stats.numberOfTasks === 0, { timeout: 2000 })
        for (const lock of locks) t.is(await lock.throttle().synchronized(async () => 'entered'), 'entered')
        t.is(getEventListeners(controller.signal, 'abort').length, 0)
        await settlesWithin(run.client.close())
        await server.faults([])
        const left = await keysOf(t.context.client)
        if (isWhole) t.deepEqual([status, left], ['fulfilled', []])
        if (begin && controller.signal.aborted) t.is(left.length, COUNT)
        await turn()
      })
    }
  }
}
