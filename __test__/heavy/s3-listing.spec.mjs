// five million keys listed into deletes that are all refused. `YA_SYN_HEAVY_COUNT` sets another number, of which it takes the fivefold.
import test from 'ava'
import { startS3Server } from '../../tools/s3-server/start.mjs'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

const count = 5 * Number(process.env.YA_SYN_HEAVY_COUNT ?? 1_000_000)
const MEGABYTE = 1024 * 1024
const TEN_MINUTES = 600_000

for (const how of ['deletePrefix', 'list']) {
  test.serial(`${count} listed keys leave the memory flat: ${how}`, async (t) => {
    t.timeout(TEN_MINUTES)
    const server = await startS3Server()
    try {
      await server.seed({ bucket: 'bucket', template: '{i%16:02}/{i:08}', count })
      await server.faults([{ operation: 'DeleteObjects', times: 'always', status: 403, code: 'AccessDenied' }])
      const run = await runFixture('../s3/fixtures/memory.mjs', {
        args: [server.endpoint, count, how],
        timeout: TEN_MINUTES,
      })
      assertCleanEnd(t, run)
      const { seen, first, growth, peak } = run.result
      t.is(seen, count)
      t.true(first < 1000, `the first was told after ${first} ms`)
      t.true(growth < 64 * MEGABYTE, `the RSS grew by ${growth} bytes to ${peak}`)
    } finally {
      await server.stop()
    }
  })
}
