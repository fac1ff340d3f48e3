// Permits of prefixes belong to the native job: a caller's section is never taken for the job's own, and nobody waits for himself.
import { getEventListeners } from 'node:events'
import test from 'ava'
import { SynchronizerProvider } from 'ya-syn-native'
import { S3BulkError } from 'ya-syn-native/s3'
import { settlesWithin } from '../helpers/async.mjs'
import { Bucket, keysOf, requests, sorted, waitUntil, withStore } from './store.mjs'

withStore(test)
const serial = test.serial
const sp = new SynchronizerProvider()
let names = 0
const scopes = {
  thread: () => new SynchronizerProvider(),
  process: () => new SynchronizerProvider({ providerId: `permits ${names++}`, scope: 'process' }),
}
const stats = (lock) => [lock.stats.numberOfTasks, lock.stats.numberOfRunningTasks]

for (const [scope, provider] of Object.entries(scopes)) {
  const start = (t) => {
    const synchronizers = provider()
    const lock = synchronizers.forKey('a/', 1)
    const options = { Bucket, limitPerKey: { prefixLength: 2, maxTasksInExecution: 1, synchronizers } }
    return { ...t.context, synchronizers, lock, options, del: t.context.client.deleteObjects(options) }
  }

  serial(
    `an executor first called in a section of another prefix waits for a prefix that somebody holds (${scope})`,
    async (t) => {
      const { client, server, synchronizers, lock, del } = start(t)
      await server.seed({ bucket: Bucket, keys: ['a/1', 'a/2', 'b/1'] })
      let leave
      await new Promise((entered) => {
        // The job begins in this section, and asks for all its permits afterwards.
        leave = lock.synchronized(async () => {
          entered()
          await t.throwsAsync(del({ task: ['a/1'] }), { code: 'ReentrantExecution' })
          await del({ task: ['b/1'] })
        })
      })
      await settlesWithin(leave)
      const guard = await lock.acquire()
      const call = del({ task: ['a/2'] })
      await waitUntil(() => lock.stats.numberOfTasks === 2)
      t.deepEqual(await keysOf(client), ['a/1', 'a/2'])
      guard.release()
      await settlesWithin(call)
      t.deepEqual(await keysOf(client), ['a/1'])
      for (const one of [lock, synchronizers.forKey('b/')]) await waitUntil(() => stats(one).join() === '0,0')
    },
  )

  serial(
    `an executor first called in a section waits for those of others, though the section goes on (${scope})`,
    async (t) => {
      const { client, server, synchronizers, del } = start(t)
      await server.seed({ bucket: Bucket, keys: ['a/1', 'b/1'] })
      const other = synchronizers.forKey('b/', 1)
      let outside
      await other.synchronized(async () => {
        await del({ task: ['a/1'] })
        // Somebody else, whose call is not in the section.
        outside = new Promise((resolve, reject) => {
          queue.push(() => del({ task: ['b/1'] }).then(resolve, reject))
        })
        await waitUntil(() => other.stats.numberOfTasks === 2)
        t.deepEqual(await keysOf(client), ['b/1'], 'the section is respected')
      })
      await outside
      t.deepEqual(await keysOf(client), [])
    },
  )

  serial(
    `an executor first called outside refuses a call in a section of its prefix, and tries nothing of it (${scope})`,
    async (t) => {
      const { client, server, lock, del } = start(t)
      await server.seed({ bucket: Bucket, keys: ['a/1', 'b/1', 'c/1'] })
      await del({ task: ['c/1'] })
      const sent = await requests(server, 'DeleteObjects')
      await lock.synchronized(async () => {
        const error = await t.throwsAsync(settlesWithin(del({ task: ['b/1', 'a/1'] })), { code: 'ReentrantExecution' })
        t.is(error.name, 'SynchronizerReentrantExecutionError')
      })
      t.is(await requests(server, 'DeleteObjects'), sent)
      t.deepEqual(await keysOf(client), ['a/1', 'b/1'])
      await del({ task: ['a/1', 'b/1'] })
      t.deepEqual(await keysOf(client), [])
    },
  )

  for (const [run, start] of Object.entries({
    deletePrefix: (client, options, signal) => client.deletePrefix({ all: true, signal, ...options }),
    'a fused run': (client, options, signal) =>
      sp.executeTasks({
        maxTasksInFlight: 5,
        signal,
        taskSource: client.listKeys({ Bucket }),
        taskExecutor: client.deleteObjects(options),
      }),
  })) {
    serial(
      `${run} in a section of one of its prefixes is refused instead of waiting for itself (${scope})`,
      async (t) => {
        const { client, server } = t.context
        const synchronizers = provider()
        const lock = synchronizers.forKey('a/', 1)
        await server.seed({ bucket: Bucket, keys: ['a/1', 'a/2'] })
        const options = { Bucket, limitPerKey: { delimiter: '/', maxTasksInExecution: 1, synchronizers } }
        const { signal } = new AbortController()
        await lock.synchronized(async () => {
          const error = await t.throwsAsync(settlesWithin(start(client, options, signal)), {
            instanceOf: S3BulkError,
            code: 'ReentrantExecution',
          })
          t.is(error.cause.code, 'ReentrantExecution')
        })
        t.deepEqual(await keysOf(client), ['a/1', 'a/2'])
        await start(client, options, signal)
        t.deepEqual(await keysOf(client), [])
        t.deepEqual(stats(lock), [0, 0])
        t.is(getEventListeners(signal, 'abort').length, 0)
      },
    )
  }
}

/** Calls in the async context in which the file was loaded. */
const queue = []
const ticker = setInterval(() => {
  for (const call of queue.splice(0)) call()
}, 1)
test.after.always(() => clearInterval(ticker))

serial('the executor asks for the permits of just the prefixes that a call is checked against', async (t) => {
  const { client, server } = t.context
  const keys = ['😀a', '😃b', '漢字/x', 'é', 'aé漢/y', 'x', 'x/y/z', '/', '//'].map((key) => `${key}-tail`)
  for (const cut of [{ prefixLength: 1 }, { prefixLength: 3 }, { delimiter: '/' }, { delimiter: '-t' }]) {
    await server.seed({ bucket: Bucket, keys })
    const asked = new Set()
    const synchronizers = {
      forKey: (key, limit) => {
        asked.add(key)
        return sp.forKey(key, limit)
      },
    }
    const del = client.deleteObjects({ Bucket, limitPerKey: { maxTasksInExecution: 1, synchronizers, ...cut } })
    await sp.forKey('another').synchronized(() => del({ task: keys }))
    const inside = sorted(asked)
    asked.clear()
    await server.seed({ bucket: Bucket, keys })
    await del({ task: keys })
    t.deepEqual(sorted(asked), inside)
  }
})

serial('jobs that are closed while they wait for a synchronizer leave its queue at once', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, keys: ['a/1'] })
  const lock = sp.forKey('a/', 1)
  const options = { Bucket, limitPerKey: { prefixLength: 2, maxTasksInExecution: 1, synchronizers: sp } }
  for (const start of [
    (client) => client.deleteObjects(options)({ task: ['a/1'] }),
    (client) => client.deletePrefix({ all: true, ...options }),
  ]) {
    const guard = await lock.acquire()
    const client = open()
    const ended = t.throwsAsync(start(client), { code: 'Closed' })
    await waitUntil(() => lock.stats.numberOfTasks === 2)
    await client.close()
    await ended
    t.deepEqual(stats(lock), [1, 1], 'only the holder is left')
    guard.release()
  }
})

for (const [what, synchronized, message] of [
  ['never calls back', async () => {}, /without calling back/],
  [
    'rejects',
    async () => {
      throw new Error('no lock')
    },
    /no lock/,
  ],
  [
    'calls back twice',
    async ({ cb }) => {
      await Promise.all([cb(), cb()])
    },
    undefined,
  ],
]) {
  serial(`a job ends although a synchronizer ${what}`, async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a/1', 'b/1'] })
    const limitPerKey = { prefixLength: 2, maxTasksInExecution: 1, synchronizers: { forKey: () => ({ synchronized }) } }
    const run = settlesWithin(client.deletePrefix({ Bucket, all: true, limitPerKey }))
    if (message === undefined) t.is((await run).deleted, 2)
    else t.regex((await t.throwsAsync(run)).message, message)
  })
}
