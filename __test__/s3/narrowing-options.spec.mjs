// Options that say what may be touched: what is wrong in one is refused, and never lets more be touched.
import test from 'ava'
import { Bucket, withStore } from './store.mjs'

withStore(test)
const serial = test.serial

serial(
  'a condition that is null or empty, and a filter that is a list, are refused and do not let more keys pass',
  async (t) => {
    const { client, server } = t.context
    await server.seed({ bucket: Bucket, keys: ['a'] })
    for (const name of ['modifiedBefore', 'minSize', 'maxSize', 'suffix', 'glob', 'regex']) {
      await t.throwsAsync(client.deletePrefix({ Bucket, Prefix: 'a', filter: { [name]: null } }), {
        code: 'Invalid',
        message: `filter.${name} must be a condition, or left out, but is null`,
      })
    }
    for (const name of ['modifiedBefore', 'suffix', 'glob', 'regex']) {
      await t.throwsAsync(client.deletePrefix({ Bucket, Prefix: 'a', filter: { [name]: '' } }), {
        code: 'Invalid',
        message: `filter.${name} must be a condition, or left out, but is ''`,
      })
    }
    await t.throwsAsync(client.deletePrefix({ Bucket, Prefix: 'a', ExpectedBucketOwner: '' }), {
      code: 'Invalid',
      message: "ExpectedBucketOwner must be the id of an account, or left out, but is ''",
    })
    await t.throwsAsync(client.deletePrefix({ Bucket, Prefix: 'a', filter: [{ suffix: 'b' }] }), {
      code: 'Invalid',
      message: /filter must be an object/,
    })
    const limitPerKey = { prefixLength: 1, maxTasksInExecution: 1, synchronizers: null }
    await t.throwsAsync(client.deletePrefix({ Bucket, Prefix: 'a', limitPerKey }), {
      code: 'Invalid',
      message: /limitPerKey\.synchronizers must be a SynchronizerProvider, or left out, but is null/,
    })
    t.is((await server.stats()).requests.total, 0)
  },
)

serial('a bucket that would be a path in a request is refused before one is made', async (t) => {
  const { client, server } = t.context
  for (const name of [' ', '.', '..', '/', 'logs/2019', '../other', 'logs?versions', 'logs#', 'a b', 'a\\b', 'a\n']) {
    const message = /^Bucket must be a name without a path, or an ARN/
    await t.throwsAsync(client.deletePrefix({ Bucket: name, all: true }), { code: 'Invalid', message })
    t.throws(() => client.listKeys({ Bucket: name }), { code: 'Invalid', message })
    t.throws(() => client.deleteObjects({ Bucket: name }), { code: 'Invalid', message })
  }
  t.is((await server.stats()).requests.total, 0)
})
