// Deletes the temporary objects of one year from a bucket, first without doing so, and then for good.
//
// The store is Amazon's, or the one whose URL is in S3_ENDPOINT; credentials and region come from the environment or a profile.
import { S3BulkClient, S3DeleteError } from 'ya-syn/s3'

async function main(): Promise<void> {
  const endpoint = process.env.S3_ENDPOINT
  const s3 = new S3BulkClient(endpoint === undefined ? {} : { endpoint, forcePathStyle: true })
  const job = { Bucket: 'logs', Prefix: '2019/', filter: { suffix: '.tmp' } }
  try {
    const would = await s3.deletePrefix({ ...job, dryRun: true })
    console.log(`would delete ${would.deleted} keys`)
    const { deleted, failed } = await s3.deletePrefix({
      ...job,
      // No more than 4 requests at a time for each month.
      limitPerKey: { prefixLength: '2019/01'.length, maxTasksInExecution: 4 },
      onProgress: ({ deleted, perSecond }) => console.error(`${deleted} deleted, ${perSecond.toFixed(0)} a second`),
      onTaskError: (error) => {
        for (const { Key, code } of error.failed) console.error(`${Key} stays: ${code}`)
      },
    })
    console.log(`deleted ${deleted} keys, ${failed} stay`)
  } catch (error) {
    if (!(error instanceof S3DeleteError)) throw error
    console.error(error.message)
    process.exitCode = 1
  } finally {
    await s3.close()
  }
}

void main()
