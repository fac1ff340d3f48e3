// Signals that throw when they are listened to: what was called rejects with that error, and holds nothing up.
import test from 'ava'
import { SynchronizerProvider } from 'ya-syn-native'
import { Bucket, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

const failure = new Error('this signal can not be listened to')
const signal = {
  aborted: false,
  addEventListener() {
    throw failure
  },
  removeEventListener() {},
}

serial('deletePrefix rejects with what its signal throws, and the client closes', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i}', count: 20 })
  const client = open()
  t.is(await t.throwsAsync(client.deletePrefix({ Bucket, all: true, signal })), failure)
  await client.close()
})

serial('each call of an executor rejects with what its signal throws, and the client closes', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i}', count: 20 })
  const client = open()
  const del = client.deleteObjects({ Bucket, signal })
  for (const key of ['1', '2']) t.is(await t.throwsAsync(del({ task: [key] })), failure)
  await client.close()
})

serial('executeTasks of native ends rejects with what its signal throws, and the client closes', async (t) => {
  const { open, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i}', count: 20 })
  const client = open()
  const run = new SynchronizerProvider().executeTasks({
    maxTasksInFlight: 10,
    taskSource: client.listKeys({ Bucket }),
    taskExecutor: client.deleteObjects({ Bucket }),
    signal,
  })
  t.is(await t.throwsAsync(run), failure)
  await client.close()
})
