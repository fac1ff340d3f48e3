// Every function that the addon gives an environment. They are defined in src/node, area by area, and a test compares
// their names with these.
//
// An id stands for something that is open in Rust; ids start at 1, so 0 can mean none. A function that is marked as sure
// takes effect even when it panics: the Error then has in `answer` what it would have returned (see faults.js).

/** A semaphore that is open in this environment. */
export type SemaphoreId = number
/** A table of keys that is open in this environment. */
export type TableId = number
/** A waiter of this environment. */
export type Ticket = number
export type PipelineId = number
/** The place of a task in the window of its pipeline. */
export type Slot = number
/** What a pipeline wants done: a slot above the bits of wire.js. */
export type PipelineAnswer = number
export type JobId = number
export type ClientId = number

/** What is told when something became ready: one id, or several. */
export type Told = (ids: number | number[]) => void

// Locks: src/node/locks.

export function isLimit(limit: number): boolean
/** 0 when `limit` is none. */
export function createSemaphore(limit: number): SemaphoreId
/** Sure. Permits that were never given back stay taken. */
export function closeSemaphore(semaphore: SemaphoreId): void
export function createTable(): TableId
/** The table that all threads have under that name. */
export function openSpace(name: string): TableId
/** Sure. */
export function closeTable(table: TableId): void
/** 0 when `limit` is none. */
export function leaseKey(table: TableId, key: string, limit: number): SemaphoreId

/** 0 when the permit is had, else the ticket of the waiter. */
export function acquire(semaphore: SemaphoreId): Ticket
export function tryAcquire(semaphore: SemaphoreId): boolean
/** The section of a permit has begun: it counts as running. */
export function enter(semaphore: SemaphoreId): void
/** Sure. Gives a permit back whose section has not begun; returns the ticket here that has it now, or 0. */
export function release(semaphore: SemaphoreId): Ticket
/** Sure. Gives a permit back whose section has begun; returns as `release`. */
export function leave(semaphore: SemaphoreId): Ticket
/** Sure. Whether the ticket waited; if not, it has been granted the permit. */
export function cancel(ticket: Ticket): boolean

/** Sure. Tells the tickets that other threads granted permits to, from now on until the environment ends. */
export function connect(told: Told): void
/** Sure. The tickets that were granted permits since. */
export function takeMail(): Ticket[]
export function heldElsewhere(semaphore: SemaphoreId): boolean
/** A number that is the same in all threads, while the semaphore is open. */
export function identity(semaphore: SemaphoreId): number

export function limit(semaphore: SemaphoreId): number
/** How many hold a permit or wait for one. */
export function tasks(semaphore: SemaphoreId): number
export function held(semaphore: SemaphoreId): number
export function running(semaphore: SemaphoreId): number
export function numberOfKeys(table: TableId): number

// Pipelines: src/node/pipelines.rs.

/** `results` is 0, or one of the orders of wire.js. The limits were checked before; 0 is returned when one is none. */
export function createPipeline(inFlight: number, inExecution: number, perKey: number, results: number): PipelineId
/** Sure. */
export function closePipeline(pipeline: PipelineId): void
export function begin(pipeline: PipelineId): PipelineAnswer
export function pulled(pipeline: PipelineId): PipelineAnswer
export function pulledKeyed(pipeline: PipelineId, key: string): PipelineAnswer
/** The task waits until it is `opened`. */
export function pulledGated(pipeline: PipelineId): PipelineAnswer
/** Sure. */
export function opened(pipeline: PipelineId, slot: Slot): PipelineAnswer
/** Sure. */
export function finished(pipeline: PipelineId, slot: Slot, success: boolean): PipelineAnswer
/** Sure. The task has a result, which keeps its place until it is taken. */
export function settled(pipeline: PipelineId, slot: Slot, success: boolean): PipelineAnswer
/** Sure. The next result, or 0. */
export function takeResult(pipeline: PipelineId): PipelineAnswer
/** Sure. A task that was to start did not. */
export function dropped(pipeline: PipelineId, slot: Slot): PipelineAnswer
/** Sure. */
export function sourceEnded(pipeline: PipelineId): PipelineAnswer
/** Sure. */
export function abort(pipeline: PipelineId): PipelineAnswer
export function pulledCount(pipeline: PipelineId): number
export function runningCount(pipeline: PipelineId): number
export function doneCount(pipeline: PipelineId): number
export function failedCount(pipeline: PipelineId): number

// Jobs: src/node/jobs.rs tells how chunks cross.

/** Tells the jobs that have something to take. */
export function onJobsReady(told: Told): void
/** The next chunk, `null` when the job is over, `undefined` when nothing is ready. */
export function takeChunk(job: JobId): FileChunk | S3Chunk | null | undefined
/** Sure. */
export function closeJob(job: JobId): void

// Integers that mean the same in both languages: src/node/wire.rs.

/** All of them by name, as wire.js has them. */
export function wire(): Record<string, number>

// Files: src/node/fs. Paths cross in one piece, each ended by a NUL.

export type Paths = string | Uint8Array

/** What a file job tells. */
export interface FileChunk {
  kind?: undefined
  /** Three 64-bit floats for each file: its index, what became of it (wire.js), and a number that tells more. */
  facts: Buffer
  /** The bytes of small files, one after the other. */
  slabs: Buffer[]
  /** One for each larger file. */
  buffers: Buffer[]
  /** Where JavaScript does not know them. */
  paths?: Buffer
  panics?: string[]
  /** Whether this is the failure of the source, at the only path. */
  isEnd: boolean
}

/** The working folder of now. */
export function workingFolder(): Buffer
/** `timeout` is in milliseconds, 0 for none; relative paths start at `folder`. */
export function openRead(
  ordered: boolean,
  maxFiles: number,
  maxBytes: number,
  timeout: number,
  special: boolean,
  folder: Paths,
): JobId
export function givePaths(job: JobId, paths: Paths): void
export function endPaths(job: JobId): void
/** What is wrong with patterns, or an empty string. */
export function faultOfPatterns(globs: string[], ignored: string[]): string
export function openList(
  folder: Paths,
  root: Paths,
  globs: string[],
  ignored: string[],
  followSymlinks: boolean,
  hidden: boolean,
): JobId
/** Reads what a listing finds. */
export function openReadOfList(
  ordered: boolean,
  maxFiles: number,
  maxBytes: number,
  timeout: number,
  special: boolean,
  folder: Paths,
  root: Paths,
  globs: string[],
  ignored: string[],
  followSymlinks: boolean,
  hidden: boolean,
): JobId

// S3: src/node/s3.

/** What a client is made from, checked by lib/s3/config.js; fields that are left out follow from the environment. */
export type S3Config = Record<string, unknown>
/** What a job is about, checked by lib/s3/options.js. */
export type S3Options = Record<string, unknown>

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
  /** Milliseconds since 1970. */
  expiration?: number
}

/** Keys that failed, as one array per field. */
export interface S3FailedKeys {
  keys: string[]
  versions: (string | null)[]
  codes: string[]
  messages: string[]
}

export interface S3Counters {
  listed: number
  bytes: number
  deleted: number
  failed: number
  markersCreated: number
  requests: number
  retries: number
  throttled: number
  inFlight: number
}

/** What keeps a job from going on. */
export interface S3Fault {
  kind: 'fault'
  code: string
  message: string
  status: number | null
}

/** How a call of an executor ended. */
export interface S3Settled {
  kind: 'settled'
  call: number
  deleted: number
  untried: number
  failed: S3FailedKeys
  /** Why nothing more was tried. */
  fault: S3Fault | null
}

/** A page of a listing. */
export type S3Page =
  | { kind: 'keys'; keys: string[] }
  | { kind: 'objects'; keys: string[]; sizes: Float64Array; times: string[]; tags: string[] }
  | { kind: 'versions'; keys: string[]; versions: (string | null)[]; areMarkers: boolean[] }

/** What native work asks of JavaScript; `release` gives a permit back. */
export type S3Question =
  | { kind: 'credentials'; request: number }
  | { kind: 'ask'; permit: number; prefix: string }
  | { kind: 'release'; permit: number }

/** What an S3 job tells. */
export type S3Chunk =
  | S3Page
  | S3Question
  | S3Settled
  | S3Fault
  | { kind: 'failed'; failed: S3FailedKeys }
  /** The last chunk of a job without calls. */
  | { kind: 'over'; counters: S3Counters }

/** A job that asks: for credentials, or for permits of prefixes and when they are not needed any more. */
export function openS3Questions(): JobId
/** `asking` is the job that asks for credentials, or 0. */
export function openS3Client(config: S3Config, asking: JobId): ClientId
/** Whether the client deletes keys one by one. */
export function isS3Single(client: ClientId): boolean
/** Sure. */
export function closeS3Client(client: ClientId): void
/** What the option of that name must be instead, or `null`. */
export function findFaultInS3Option(name: 'endpoint' | 'region' | 'proxy' | 'caBundle', text: string): string | null
/** Which field is wrong and how, or `null`. */
export function findFaultInS3Credentials(credentials: S3Credentials): string | null
/** Sure. Without credentials, `message` says why there are none. */
export function answerS3Credentials(
  job: JobId,
  request: number,
  credentials: S3Credentials | null,
  message: string,
): void
/** Sure. `message` says why there is no permit; `null` means that there is one. */
export function answerS3Permit(job: JobId, permit: number, message: string | null): void
/** The prefixes of keys that an executor with these options asks permits for. */
export function prefixesOf(options: S3Options, keys: string[]): string[]
/** What is wrong with a pattern, or `null`. */
export function findFaultInPattern(isGlob: boolean, pattern: string): string | null
/** Gives pages. */
export function listS3(client: ClientId, options: S3Options): JobId
/** Deletes what it is given; `asking` is the job that asks for permits, or 0. */
export function openS3Deleter(client: ClientId, options: S3Options, asking: JobId): JobId
/** Answered by a chunk of kind `settled` with the same number. */
export function deleteS3(job: JobId, call: number, keys: string[], versions: (string | null)[] | null): void
/** Lists and deletes, or only counts. */
export function runS3(client: ClientId, options: S3Options, onlyCounts: boolean, asking: JobId): JobId
/** Sure. Nothing more starts; what is on its way ends. */
export function stopS3(job: JobId): void
export function readS3(job: JobId): S3Counters
