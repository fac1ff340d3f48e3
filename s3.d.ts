// The public types of ya-syn-native/s3, written by hand: this is what an editor shows.
//
// Listing and deleting run in Rust, on Tokio; JavaScript sees pages, counts and what failed. Times are in milliseconds, sizes in
// bytes. An option that can't be is refused with a `SynchronizerInvalidError` that names it, its value and the remedy.

/// <reference types="node" />
/// <reference lib="es2018.asyncgenerator" />
/// <reference lib="esnext.disposable" />

import type { ExecuteTasksProgress, SynchronizerProvider, SynchronizerTask } from './index.js'

/** Credentials as values. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  /** When they end. A function is asked again a minute (or a tenth of their life) before. */
  readonly expiration?: Date | number | string | undefined
}

/**
 * How a client reaches its store: the names of the JavaScript SDK's client, and a few of our own.
 *
 * What is said explicitly wins. Each line is tried from left to right, and empty variables are as none:
 *
 * | | option | with the option `profile` | without it |
 * |---|---|---|---|
 * | keys, session token | `credentials` | that profile alone: its keys, role, SSO, process | `AWS_ACCESS_KEY_ID` and the like, the profile, web identity, container, instance |
 * | region | `region` | that profile and its `source_profile`, `AWS_REGION`, `AWS_DEFAULT_REGION` | `AWS_REGION`, `AWS_DEFAULT_REGION`, the profile |
 * | then | | with an endpoint `us-east-1`, else the instance's | the same |
 * | endpoint | `endpoint` | that profile's services section, its `endpoint_url` | `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, the profile's services section, its `endpoint_url` |
 * | flags, CA bundle | `use...`, `disable...`, `caBundle` | that profile, the environment | the environment, the profile |
 *
 * "The profile" is that of `AWS_PROFILE`, or `default`. What there is and can't be used (a missing profile, an endpoint with a query,
 * a flag that is neither `true` nor `false`) is refused with the code `InvalidConfig` before the first request, by the name of the
 * place where it was said. Settings that nothing here uses, such as `AWS_RETRY_MODE`, are not read.
 */
export interface S3BulkClientConfig {
  /** Default: see the table above. */
  readonly region?: string | undefined
  /** The profile of the shared config files; it has to be there. Default: `AWS_PROFILE`, or `default`. */
  readonly profile?: string | undefined
  /** The URL of a store other than Amazon's. It may have a path, and neither user, query nor fragment. */
  readonly endpoint?: string | URL | undefined
  /**
   * Credentials, or an (async) function that gives them: it is called for the first request, before they expire, and when the
   * store says that they have. `false` signs nothing, for buckets that anybody may use. Default: see the table above.
   */
  readonly credentials?: S3Credentials | (() => S3Credentials | Promise<S3Credentials>) | false | undefined
  /**
   * The URL of an HTTP proxy for every host, with user and password where it wants some, such as `http://user:password@proxy.example:3128`;
   * `false` for none. https goes through it by CONNECT.
   *
   * Default: the environment's `https_proxy`, `http_proxy` or `all_proxy`, in small letters or in capitals, but for this machine itself and
   * for hosts of `NO_PROXY`: names with all that end in them, addresses, networks such as `10.0.0.0/8`, each with a port if only that is
   * meant, or `*`. `HTTP_PROXY` in capitals does not count in a CGI program, where whoever asks can set it.
   */
  readonly proxy?: string | URL | false | undefined
  /**
   * Certificates in PEM that are trusted in addition to those of the system: the path of their file, or what it holds. It is read once, by the
   * constructor. Default: `AWS_CA_BUNDLE`, or `ca_bundle` of the profile. `NODE_EXTRA_CA_CERTS` is trusted as well.
   */
  readonly caBundle?: string | Uint8Array | undefined
  /** How often a request is tried, the first time included: 1 to 1,000. Throttled tries do not count. Default 5. */
  readonly maxAttempts?: number | undefined
  /** How long one try of a request may take, in milliseconds; 0 is without end. Default 60,000. */
  readonly requestTimeout?: number | undefined
  /** How long connecting may take, in milliseconds; 0 is without end. Default 10,000. */
  readonly connectionTimeout?: number | undefined
  /** The two times above, where the JavaScript SDK has them. */
  readonly requestHandler?:
    { readonly requestTimeout?: number | undefined; readonly connectionTimeout?: number | undefined } | undefined
  /**
   * How long, in milliseconds, a prefix or a listing may be throttled while nothing of it gets through, before it is given up. Its keys
   * then fail with the code `SlowDown`. Default 300,000.
   */
  readonly throttleTimeout?: number | undefined
  /**
   * How keys are deleted. `'checksum'`: `DeleteObjects` with a CRC32; `'md5'`: with Content-MD5; `'single'`: a `DeleteObject` for
   * each key. `'auto'`, the default, takes the first that the store does not refuse, and learns it once per client.
   */
  readonly deleteMode?: 'auto' | 'checksum' | 'md5' | 'single' | undefined
  /** `https://store/bucket/key` instead of `https://bucket.store/key`. Default `false`. */
  readonly forcePathStyle?: boolean | undefined
  readonly useDualstackEndpoint?: boolean | undefined
  readonly useFipsEndpoint?: boolean | undefined
  readonly useAccelerateEndpoint?: boolean | undefined
  readonly useArnRegion?: boolean | undefined
  readonly disableMultiregionAccessPoints?: boolean | undefined
  readonly disableS3ExpressSessionAuth?: boolean | undefined
}

/** Which bucket, and who pays. */
export interface S3Target {
  /** A name, or the ARN of an access point. */
  readonly Bucket: string
  /** The account that has to own the bucket; refused when it is empty. */
  readonly ExpectedBucketOwner?: string | undefined
  readonly RequestPayer?: 'requester' | undefined
}

/** Which keys a listing gives; all that is set has to hold, and what is `null` or empty is refused. Rust applies it, before pages are emitted. */
export interface S3Filter {
  /** Last modified before this moment. */
  readonly modifiedBefore?: Date | number | string | undefined
  /** Bytes. */
  readonly minSize?: number | undefined
  /** Bytes. */
  readonly maxSize?: number | undefined
  readonly suffix?: string | undefined
  /**
   * For the whole key, by characters: `*` and `?` stop at a slash and `**` does not; `[ab]`, `[a-z]` and `[!ab]` for one character but a
   * slash; `{a,b}`, `{1..3}`; `@(a|b)`, `?(a)`, `*(a)`, `+(a)`; and a backslash before what is meant as it is. It is the dialect of `glob`
   * of `listFiles`, but for what only keys have: `**` crosses slashes also beside other characters, a leading dot need not be said, and any
   * part may be empty. What is not supported is refused by name: `!x`, `!(x)`, and a `|` outside of a group.
   */
  readonly glob?: string | undefined
  /** In the syntax of Rust's regex crate, anywhere in the key: `^` and `$` anchor it. */
  readonly regex?: string | undefined
}

/** What is listed, and how. `Item` is what a page holds. */
export interface S3ListOptions<Item> extends S3Target {
  /** Literally: `'foo'` includes `foobar`. Default: everything. */
  readonly Prefix?: string | undefined
  /** Keys after this one. */
  readonly StartAfter?: string | undefined
  /** Keys per page, 1 to 1,000. Default: what the store gives. */
  readonly MaxKeys?: number | undefined
  /**
   * How many ranges of the key space are listed at once, 1 to 1,000. Ranges are found by common prefixes where there are some, and by
   * trying where keys diverge where there are none; at most 32 small requests more look for them, which nothing
   * waits for; a store that does not answer them is listed by the ranges found so far. With 1, keys come in the order
   * that the store lists them in: that of their UTF-8 bytes. A store that lists in another order, such as SeaweedFS, needs 1: ranges
   * are cut by that order. Directory buckets know none, and are listed one page after the other. Default 8.
   */
  readonly parallelListing?: number | undefined
  readonly filter?: S3Filter | undefined
  /** A filter in JavaScript, which is not async. With one, `executeTasks` no longer runs without JavaScript. */
  readonly where?: ((item: Item) => boolean) | undefined
  /** `next()` rejects with `signal.reason`. */
  readonly signal?: AbortSignal | undefined
}

/** An object, as a listing tells of it. */
export interface S3Object {
  readonly Key: string
  /** Bytes. */
  readonly Size: number
  readonly LastModified: Date
  readonly ETag: string
}

/** A version of an object, or a delete marker. */
export interface S3ObjectVersion {
  readonly Key: string
  readonly VersionId: string
  readonly IsDeleteMarker: boolean
}

/** A key to delete, or one version of it. */
export type S3Deletable = string | { readonly Key: string; readonly VersionId?: string | undefined }

/**
 * A listing: an async iterator of pages, none of them empty, and a `taskSource`. One that is not read to its end must be closed, by
 * `return()` or by leaving a `for await`: until then it goes on listing ahead.
 */
export interface S3Listing<Item> extends AsyncIterableIterator<SynchronizerTask<Item[]>> {
  next(): Promise<IteratorResult<SynchronizerTask<Item[]>, undefined>>
  return(value?: unknown): Promise<IteratorReturnResult<undefined>>
  [Symbol.asyncIterator](): S3Listing<Item>
  [Symbol.asyncDispose](): Promise<void>
}

/** A limit for each prefix of keys. A busy prefix does not hold up the others. */
export type S3LimitPerKey = {
  /** Delete requests of one prefix at the same time. */
  readonly maxTasksInExecution: number
  /**
   * Share the limit with everybody who uses `synchronizers.forKey(prefix)`: it is held during each request.
   *
   * A permit belongs to the job, whose requests several calls share; it never counts as re-entry of a section that a caller is
   * in. So a call made inside the section of one of its own prefixes would wait for itself: it is refused with code
   * `ReentrantExecution`, as by `acquire()`. A call of an executor is then a `SynchronizerReentrantExecutionError`, and none of
   * its keys was tried; `deletePrefix` and a fused run reject with an `S3BulkError` that has it as `cause`, once they come to
   * such a prefix. Delete under a lock of another key, or without `synchronizers`.
   */
  readonly synchronizers?: SynchronizerProvider | undefined
} & (
  | {
      /** The first so many UTF-16 units of a key, as `key.slice(0, n)`: 1 to 1,024. */
      readonly prefixLength: number
      readonly delimiter?: undefined
    }
  | {
      /** Up to the first of these, itself included; after `Prefix`, where the job has one. */
      readonly delimiter: string
      readonly prefixLength?: undefined
    }
)

/** How keys are deleted. */
export interface S3DeleteOptions extends S3Target {
  /** Keys per request, 1 to 1,000. Default 1,000. */
  readonly batchSize?: number | undefined
  /** Delete requests in flight, single deletes and retries included. Default 50; that of `executeTasks` prevails. */
  readonly maxTasksInExecution?: number | undefined
  /** A request then touches one prefix. */
  readonly limitPerKey?: S3LimitPerKey | undefined
  readonly BypassGovernanceRetention?: boolean | undefined
  /** Serial number and code of the device, with a blank between. */
  readonly MFA?: string | undefined
  /** Calls that are pending reject with `signal.reason`; requests in flight are carried through. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Deletes a page of keys: what `executeTasks` takes as `taskExecutor`. Calls that are pending together share requests; none waits for
 * more to come while a request may go out. Rejects with an {@link S3DeleteError} when keys failed.
 */
export type S3DeleteExecutor = (params: { readonly task: readonly S3Deletable[] }) => Promise<void>

/** What a whole job takes. */
export interface S3DeletePrefixOptions
  extends S3DeleteOptions, Pick<S3ListOptions<never>, 'StartAfter' | 'MaxKeys' | 'parallelListing' | 'filter'> {
  /** Literally: `'foo'` includes `foobar`. Refused when missing or empty, unless `all` is true. */
  readonly Prefix?: string | undefined
  /** Everything in the bucket, without `Prefix`. Default `false`. */
  readonly all?: boolean | undefined
  /** All versions and delete markers, instead of a plain delete, which in a versioned bucket adds markers. Default `false`. */
  readonly versions?: boolean | undefined
  /** Count, and delete nothing. Default `false`. */
  readonly dryRun?: boolean | undefined
  /** Pages listed and not deleted yet. Default: twice `maxTasksInExecution`, and 100 at most. */
  readonly maxTasksInFlight?: number | undefined
  /** Told of keys that failed, as they come. Without it they are in the rejection. */
  readonly onTaskError?:
    ((error: S3DeleteError, params: { readonly task: S3Deletable[] }) => void | PromiseLike<void>) | undefined
  /** Told how far the job is, ten times a second at most, and once more at the end. */
  readonly onProgress?: ((progress: S3Progress) => void) | undefined
}

/** How far a job is. */
export interface S3Progress {
  /** Keys listed. */
  readonly listed: number
  /** Keys that the store has confirmed as gone. */
  readonly deleted: number
  /** Keys that failed. */
  readonly failed: number
  /** Delete requests under way. */
  readonly inFlight: number
  /** Requests that the store refused because there were too many. */
  readonly throttled: number
  /** Keys deleted per second since the last report. */
  readonly perSecond: number
}

/** What `onProgress` of `executeTasks` gets when both ends are native: `pulled` and `done` count keys. */
export interface S3TasksProgress extends ExecuteTasksProgress, S3Progress {
  readonly failed: number
}

/** What a job has done. */
export interface S3Counts {
  /** Keys that the listing gave, after the filter. */
  readonly listed: number
  /** Keys that went; in a dry run, keys that would. */
  readonly deleted: number
  /** Keys that failed. */
  readonly failed: number
  /** Delete markers that a plain delete made in a versioned bucket. */
  readonly markersCreated: number
  /** Bytes of the keys that went; in a dry run, of those that would. */
  readonly bytes: number
  /** Requests sent, all tries included. */
  readonly requests: number
  /** Tries after the first, those for throttling included. */
  readonly retries: number
  /** Requests that the store refused because there were too many. */
  readonly throttled: number
  /** Milliseconds. */
  readonly elapsedMs: number
}

/** A key that failed, and why. */
export interface S3FailedKey {
  readonly Key: string
  readonly VersionId?: string
  /**
   * The store's, such as `AccessDenied`; `InvalidKey` for what S3 has no key for, `NotConfirmed` where the store answered with
   * success but never said that the key was deleted, `UnknownError` where it gave no code. Never empty.
   */
  readonly code: string
  /** What the store says about it, or that it gives no reason. Never empty. */
  readonly message: string
}

/**
 * A job that could not go on. The message names the bucket, and the host once there is one. `code` is the store's (`NoSuchBucket`,
 * `AccessDenied`, ...), or `Http403` and the like where it gives none, or one of these. None of the first five is tried again:
 *
 * | code | |
 * |---|---|
 * | `InvalidConfig` | no request can be made of options, environment and profile, or the proxy wants a password |
 * | `CredentialsError` | there are no credentials, or odd ones |
 * | `WrongRegion` | the bucket is in another region, which the message names |
 * | `NotS3` | what answers is no store: a login page, a redirect, a port without TLS or with it |
 * | `UntrustedCertificate` | the store's certificate has an unknown issuer, has expired, or is another host's |
 * | `RequestTimeTooSkewed` | the clocks differ, also after they were corrected once by the `Date` of an answer |
 * | `RequestTimeout`, `ConnectionTimeout`, `ConnectionError` | no answer, `maxAttempts` times |
 * | `InvalidListing` | a page of the listing contradicts itself, the pages before, or the question: it names a key outside of `Prefix` or none, versions without ids, or can't be read; nothing of that page is deleted |
 * | `MalformedAnswer` | an answer is cut off, no S3 document, or larger than 64 MiB |
 * | `NotConfirmed` | the store answered a delete with success, but does not say that the key was deleted |
 * | `NoPermit` | a synchronizer of `limitPerKey` gave none |
 * | `ReentrantExecution` | the caller is inside the section of one of the prefixes that `limitPerKey.synchronizers` limits |
 * | `Closed` | the client was closed |
 * | `Panic` | a fault of this package |
 */
export class S3BulkError extends Error {
  constructor(params: {
    message: string
    code: string
    status?: number
    counts?: S3Counts
    failed?: S3FailedKey[]
    cause?: unknown
  })
  readonly code: string
  /** The status of the HTTP answer, if there was one. */
  readonly status?: number
  /** What was done before, where a whole job failed. */
  readonly counts?: S3Counts
  /** Keys that failed before a `deletePrefix` without `onTaskError` failed or was aborted: the first 100,000, if there were any. */
  readonly failed?: S3FailedKey[]
}

/** Keys that failed. `code` is that of the first; all other keys of the call were deleted. The message names the bucket. */
export class S3DeleteError extends S3BulkError {
  constructor(params: { failed: S3FailedKey[]; deleted: number; counts?: S3Counts; bucket?: string })
  /** Each key; of a whole job the first 100,000, with the exact number in `counts`. */
  readonly failed: S3FailedKey[]
  /** How many keys of the call were deleted. */
  readonly deleted: number
}

/** A `deletePrefix` that its signal has ended: `name` is `AbortError`, `code` `ABORT_ERR`, and `cause` the signal's reason. */
export class S3AbortError extends S3BulkError {
  constructor(params: { counts: S3Counts; failed?: S3FailedKey[]; cause?: unknown })
  readonly counts: S3Counts
}

/**
 * Lists and deletes objects in bulk. Nothing of it runs on the event loop but what your own callbacks do.
 *
 * A store that throttles is met prefix by prefix: each has a rate of its own, lowered when the store says SlowDown and raised again
 * after. Throttling never makes a key fail, unless nothing of its prefix gets through for `throttleTimeout`.
 *
 * @example
 * const s3 = new S3BulkClient({ region: 'eu-central-1' })
 * const { deleted, elapsedMs } = await s3.deletePrefix({ Bucket: 'logs', Prefix: '2019/', onProgress: console.log })
 * await s3.close()
 *
 * @example
 * // A pipeline of one's own. Both ends are native, so that no key comes over to JavaScript. As every executeTasks, it resolves
 * // although keys failed: onTaskError is the one to tell of them.
 * await provider.executeTasks({
 *   maxTasksInFlight: 100, // pages
 *   maxTasksInExecution: 50, // delete requests
 *   taskSource: s3.listKeys({ Bucket: 'logs', Prefix: '2019/', filter: { suffix: '.tmp' } }),
 *   taskExecutor: s3.deleteObjects({ Bucket: 'logs', limitPerKey: { prefixLength: 4, maxTasksInExecution: 2 } }),
 *   onTaskError: (error, { task }) => console.error(error, task), // the keys that failed
 * })
 */
export class S3BulkClient {
  constructor(config?: S3BulkClientConfig)
  /** Pages of keys. Rejects with an {@link S3BulkError}. */
  listKeys(options: S3ListOptions<string>): S3Listing<string>
  /** Pages of objects with size, time and tag. */
  listObjects(options: S3ListOptions<S3Object>): S3Listing<S3Object>
  /** Pages of versions and delete markers. */
  listObjectVersions(options: S3ListOptions<S3ObjectVersion>): S3Listing<S3ObjectVersion>
  /** An executor that deletes the pages it gets. */
  deleteObjects(options: S3DeleteOptions): S3DeleteExecutor
  /**
   * Deletes all keys with a prefix. Rejects with an {@link S3DeleteError} when keys failed and there is no `onTaskError`, with an
   * {@link S3AbortError} after an abort, and with an {@link S3BulkError} when the job could not go on: `counts` says what was done.
   */
  deletePrefix(options: S3DeletePrefixOptions): Promise<S3Counts>
  /**
   * Stops what runs, waits for requests in flight, and closes the connections. What was stopped rejects with an {@link S3BulkError} of
   * code `Closed`: jobs (with `counts`), calls of executors, and listings, unless their last page had been given.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
