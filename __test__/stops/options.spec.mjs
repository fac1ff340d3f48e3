// Options are read once, at the call: objects that change while a run goes on change nothing, and checks hold for what is used.
import { getEventListeners } from 'node:events'
import test from 'ava'
import { SynchronizerProvider, rebatchTasks, toTasks } from '../../index.mjs'
import { S3BulkClient } from '../../s3.mjs'
import { deferred, outcome, settlesWithin, turn, turns } from '../helpers/async.mjs'
import { assertFree } from '../helpers/locks.mjs'
import { silentAfter, tasks } from '../helpers/sources.mjs'

const sp = new SynchronizerProvider()

/** Reads of each option are counted, and all but the first of each throw. */
function readOnce(options) {
  const reads = new Map()
  const proxy = new Proxy(options, {
    get(target, name, receiver) {
      if (typeof name === 'symbol') return Reflect.get(target, name, receiver)
      reads.set(name, (reads.get(name) ?? 0) + 1)
      if (reads.get(name) > 1) throw new Error(`${name} is read again`)
      return target[name]
    },
  })
  return { proxy, reads }
}

const drain = async iterable => { for await (const _ of iterable); }
const limit = () => ({ key: String, maxTasksInExecution: 1, synchronizers: new SynchronizerProvider() })
const common = () => ({ maxTasksInFlight: 3, maxTasksInExecution: 2, signal: new AbortController().signal, onTaskError() {}, onProgress() {} })
const config = { region: 'us-east-1', endpoint: 'http://127.0.0.1:1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, maxAttempts: 1 }

/** How each takes options, and options with all that it reads. */
const takers = {
  executeTasks: [options => sp.executeTasks(options), () => ({ ...common(), taskSource: tasks(9), taskExecutor: () => turn(), limitPerKey: limit() })],
  mapTasks: [options => drain(sp.mapTasks(options)), () => ({ ...common(), ordered: false, taskSource: tasks(9), taskMapper: () => turn(), limitPerKey: limit() })],
  mapAll: [options => sp.mapAll([1, 2, 3], () => turn(), options), () => ({ maxTasksInExecution: 2, signal: new AbortController().signal })],
  'limitPerKey of executeTasks': [limitPerKey => sp.executeTasks({ ...common(), taskSource: tasks(9), taskExecutor: () => turn(), limitPerKey }), limit],
  S3BulkClient: [options => new S3BulkClient(options).close(), () => ({ ...config })],
  'credentials of S3BulkClient': [credentials => new S3BulkClient({ ...config, credentials }).close(), () => ({ ...config.credentials })],
  listKeys: [options => withClient(client => client.listKeys(options).return()), () => ({ Bucket: 'b', Prefix: 'p', where: () => true, signal: new AbortController().signal })],
  listObjects: [options => withClient(client => client.listObjects(options).return()), () => ({ Bucket: 'b', filter: { minSize: 1 } })],
  listObjectVersions: [options => withClient(client => client.listObjectVersions(options).return()), () => ({ Bucket: 'b', parallelListing: 2 })],
  'filter of listKeys': [filter => withClient(client => client.listKeys({ Bucket: 'b', filter }).return()), () => ({ suffix: '.txt', minSize: 1, glob: '*', regex: 'x' })],
  deleteObjects: [options => withClient(client => client.deleteObjects(options)({ task: [] })), () => ({ Bucket: 'b', batchSize: 5, limitPerKey: { prefixLength: 1, maxTasksInExecution: 1 } })],
  'limitPerKey of deleteObjects': [
    limitPerKey => withClient(client => client.deleteObjects({ Bucket: 'b', limitPerKey })({ task: [] })), () => ({ prefixLength: 1, maxTasksInExecution: 1, synchronizers: sp }),
  ],
  deletePrefix: [
    options => withClient(client => client.deletePrefix(options)).catch(error => { if (error.code !== 'ABORT_ERR') throw error }),
    () => ({ Bucket: 'b', Prefix: 'p', signal: AbortSignal.abort(), onTaskError() {}, onProgress() {}, maxTasksInFlight: 2, limitPerKey: { delimiter: '/', maxTasksInExecution: 1 } }),
  ],
}

async function withClient(use) {
  const client = new S3BulkClient(config)
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

for (const [name, [take, options]] of Object.entries(takers)) {
  test(`each option is read once: ${name}`, async t => {
    const { proxy, reads } = readOnce(options())
    await settlesWithin(take(proxy))
    for (const option of Object.keys(options())) t.is(reads.get(option), 1, option)
  })
}

/** Does to an object whatever may be done to it. */
const changes = {
  'loses all its options': options => { for (const name of Object.keys(options)) delete options[name] },
  'gets others': options => { for (const name of Object.keys(options)) options[name] = 5 },
}

for (const [change, apply] of Object.entries(changes)) {
  for (const gated of [false, true]) {
    const variant = gated ? ', with synchronizers' : ''
    test(`an object that ${change} while executeTasks runs changes nothing${variant}`, async t => {
      const controller = new AbortController()
      const { signal } = controller
      const seen = []
      const errors = []
      const limitPerKey = gated ? limit() : undefined
      const synchronizers = limitPerKey?.synchronizers
      const options = {
        maxTasksInFlight: 2, taskSource: silentAfter(tasks(4)), signal, limitPerKey,
        onTaskError: error => { errors.push(error) },
        onProgress() {},
        taskExecutor: async ({ task }) => {
          seen.push(task)
          await turn()
          if (task === 2) throw 'failed'
        },
      }
      const run = outcome(() => sp.executeTasks(options))
      if (limitPerKey) apply(limitPerKey)
      apply(options)
      await turns(20)
      controller.abort('stop')
      t.deepEqual(await settlesWithin(run), { status: 'rejected', reason: 'stop' })
      t.deepEqual([seen, errors], [[0, 1, 2, 3], ['failed']])
      t.is(getEventListeners(signal, 'abort').length, 0)
      if (gated) for (const { task } of tasks(4)) await assertFree(t, synchronizers.forKey(String(task)))
    })
  }

  test(`an object that ${change} while mapTasks or mapAll runs changes nothing`, async t => {
    const controller = new AbortController()
    const { signal } = controller
    const options = { maxTasksInFlight: 2, taskSource: tasks(4), taskMapper: async ({ task }) => task, ordered: true, signal }
    const mapped = sp.mapTasks(options)
    apply(options)
    t.deepEqual(await mapped.next(), { done: false, value: 0 })
    const ofAll = { maxTasksInExecution: 1, signal }
    const all = outcome(() => sp.mapAll([1, 2], () => deferred().promise, ofAll))
    const next = { maxTasksInFlight: 2, taskSource: silentAfter(), taskMapper: async ({ task }) => task, signal }
    const silent = outcome(() => sp.mapTasks(next).next())
    apply(ofAll)
    apply(next)
    await turns(3)
    controller.abort('stop')
    t.deepEqual(await settlesWithin(silent), { status: 'rejected', reason: 'stop' })
    t.deepEqual(await settlesWithin(outcome(() => mapped.next())), { status: 'rejected', reason: 'stop' })
    t.is((await Promise.race([all, turns(3)])), undefined, 'the mapper that runs is waited for')
  })
}

test('functions among the options are called as methods of their object', async t => {
  class Job {
    maxTasksInFlight = 1
    taskSource = tasks(2)
    calls = []
    #isReal = true
    taskExecutor() { this.calls.push(this.#isReal); throw new Error('failed') }
    taskMapper() { this.calls.push(this.#isReal); throw new Error('failed') }
    onTaskError() { this.calls.push(this.#isReal) }
    onProgress() { this.told = this.#isReal }
  }
  for (const run of [job => sp.executeTasks(job), job => drain(sp.mapTasks(job))]) {
    const job = new Job()
    await run(job)
    t.deepEqual(job.calls, [true, true, true, true])
    t.true(job.told)
  }
})

test('rebatchTasks reads each task once', async t => {
  const batches = []
  const once = list => {
    let reads = 0
    return { get task() { return reads++ === 0 ? list : undefined } }
  }
  for await (const { task } of rebatchTasks([once([1, 2, 3]), once([4])], 2)) batches.push(task)
  t.deepEqual(batches, [[1, 2], [3, 4]])
  t.deepEqual((await toTasks([1]).next()).value, { task: 1 })
})
