// How the loop over a listing learns of the error that ends it: once, and with its own line in the stack.
import { getEventListeners } from 'node:events'
import test from 'ava'
import { outcome, settlesWithin } from '../helpers/async.mjs'
import { Bucket, withStore } from './store.mjs'

const { serial } = test
withStore(test)

/** Makes listings that are about to fail. */
const failing = {
  'a fault of the store': ({ client }) => client.listKeys({ Bucket: 'missing' }),
  'a bad answer of where()': ({ client }) => client.listKeys({ Bucket, where: async () => true }),
  'a client that was closed before': async ({ client }) => {
    await client.close()
    return client.listKeys({ Bucket })
  },
  'a client that was closed meanwhile': async ({ client }) => {
    const listing = client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1 })
    await listing.next()
    await client.close()
    return listing
  },
}

for (const [name, begin] of Object.entries(failing)) {
  serial(`an error of a listing is told once, to whoever awaits it: ${name}`, async (t) => {
    await t.context.server.seed({ bucket: Bucket, template: '{i:06}', count: 100_000 })
    const listing = await begin(t.context)
    async function awaitingPages() {
      for await (const _ of listing);
    }
    const { reason } = await outcome(awaitingPages)
    t.regex(reason.stack, /at async awaitingPages .*listing-errors\.spec\.mjs:\d+/)
    t.deepEqual(await listing.next(), { done: true, value: undefined })
  })
}

serial('an abort between two pages is told once, and leaves nothing behind', async (t) => {
  const { client, server } = t.context
  await server.seed({ bucket: Bucket, template: '{i:06}', count: 1000 })
  const controller = new AbortController()
  const listing = client.listKeys({ Bucket, MaxKeys: 10, parallelListing: 1, signal: controller.signal })
  await listing.next()
  const waits = [listing.next(), listing.next(), listing.next()]
  controller.abort('stop')
  const ends = await Promise.all(waits.map((wait) => outcome(() => settlesWithin(wait))))
  const told = ends.filter(({ reason }) => reason !== undefined)
  t.deepEqual(
    told.map(({ reason }) => reason),
    ['stop'],
  )
  t.true((await listing.next()).done)
  t.is(getEventListeners(controller.signal, 'abort').length, 0)
  await settlesWithin(client.close())
})
