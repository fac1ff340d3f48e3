// ya-syn-native/s3, used as a program would.
import { SynchronizerProvider } from 'ya-syn-native'
import type { ExecuteTasksProgress, TaskSource } from 'ya-syn-native'
import { S3AbortError, S3BulkClient, S3BulkError, S3DeleteError } from 'ya-syn-native/s3'
import type {
  S3BulkClientConfig,
  S3Counts,
  S3Deletable,
  S3FailedKey,
  S3Listing,
  S3Object,
  S3ObjectVersion,
  S3Progress,
  S3TasksProgress,
} from 'ya-syn-native/s3'
import { exactly } from '../exactly.js'

const provider = new SynchronizerProvider()
const { signal } = new AbortController()

export const configs: S3BulkClientConfig[] = [
  {},
  {
    region: 'eu-central-1',
    credentials: async () => ({ accessKeyId: 'a', secretAccessKey: 'b', expiration: new Date() }),
  },
  {
    endpoint: new URL('http://127.0.0.1:9000'),
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    forcePathStyle: true,
    deleteMode: 'md5',
  },
  { credentials: false, proxy: false, caBundle: '/etc/ssl/own.pem' },
  { proxy: new URL('http://user:password@proxy.example:3128'), caBundle: new Uint8Array() },
  { requestHandler: { requestTimeout: 1000 }, maxAttempts: 2 },
]

export async function pipelines(s3: S3BulkClient): Promise<void> {
  await provider.executeTasks({
    maxTasksInFlight: 100,
    maxTasksInExecution: 50,
    taskSource: s3.listKeys({
      Bucket: 'b',
      Prefix: 'p',
      parallelListing: 1,
      filter: { suffix: '.tmp', modifiedBefore: Date.now() },
      where: (key) => key.length > 3,
    }),
    taskExecutor: s3.deleteObjects({
      Bucket: 'b',
      batchSize: 500,
      limitPerKey: { prefixLength: 4, maxTasksInExecution: 2, synchronizers: provider },
    }),
    onTaskError: (_, { task }) => exactly<string[]>()(task),
    onProgress: (progress) => exactly<number>()((progress as S3TasksProgress).deleted),
    signal,
  })
  await provider.executeTasks({
    maxTasksInFlight: 1,
    taskSource: s3.listObjectVersions({ Bucket: 'b', where: ({ IsDeleteMarker }) => IsDeleteMarker }),
    taskExecutor: s3.deleteObjects({ Bucket: 'b', limitPerKey: { delimiter: '/', maxTasksInExecution: 2 } }),
  })
  const source: TaskSource<string[]> = s3.listKeys({ Bucket: 'b' })
  await provider.executeTasks({
    maxTasksInFlight: 1,
    taskSource: source,
    taskExecutor: async ({ task }) => exactly<string[]>()(task),
  })
  await s3.deleteObjects({ Bucket: 'b' })({ task: ['a', { Key: 'b' }, { Key: 'c', VersionId: 'v' }] })
}

export async function listings(s3: S3BulkClient): Promise<void> {
  exactly<S3Listing<string>>()(s3.listKeys({ Bucket: 'b' }))
  for await (const { task } of s3.listObjects({ Bucket: 'b' })) {
    exactly<S3Object[]>()(task)
    for (const { LastModified } of task) exactly<Date>()(LastModified)
  }
  for await (const { task } of s3.listObjectVersions({ Bucket: 'b' })) exactly<S3ObjectVersion[]>()(task)
}

export async function jobs(s3: S3BulkClient): Promise<void> {
  try {
    exactly<S3Counts>()(
      await s3.deletePrefix({
        Bucket: 'b',
        Prefix: 'p/',
        versions: true,
        signal,
        onProgress: (progress) => exactly<S3Progress>()(progress),
      }),
    )
    await s3.deletePrefix({
      Bucket: 'b',
      all: true,
      dryRun: true,
      onTaskError: async (error, { task }) => {
        exactly<S3FailedKey[]>()(error.failed)
        exactly<S3Deletable[]>()(task)
      },
    })
  } catch (error) {
    if (error instanceof S3AbortError) exactly<number>()(error.counts.deleted)
    else if (error instanceof S3DeleteError) exactly<S3FailedKey[]>()(error.failed)
    else if (error instanceof S3BulkError) exactly<number | undefined>()(error.status)
  } finally {
    await s3.close()
  }
}

export function isProgress(progress: S3TasksProgress): ExecuteTasksProgress {
  return progress
}

export function refused(s3: S3BulkClient): void {
  // @ts-expect-error a listing needs a bucket
  s3.listKeys({ Prefix: 'p' })
  // @ts-expect-error an RegExp belongs in `where`
  s3.listKeys({ Bucket: 'b', filter: { regex: /a/ } })
  // @ts-expect-error a limit is for a length or up to a delimiter, not both
  s3.deleteObjects({ Bucket: 'b', limitPerKey: { prefixLength: 1, delimiter: '/', maxTasksInExecution: 1 } })
  // @ts-expect-error a function filters listings only
  s3.deletePrefix({ Bucket: 'b', Prefix: 'p', where: () => true })
}
