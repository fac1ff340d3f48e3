// The public types of ya-syn-native/fs, written by hand: this is what an editor shows.
//
// Files are read and listed in Rust, on a few threads of the package's own, and what they give comes over in chunks.

/// <reference types="node" />
/// <reference lib="es2018.asyncgenerator" />
/// <reference lib="esnext.disposable" />

import type { SynchronizerTask } from './index.js'

/** A path as Node.js's fs takes it. */
export type FilePath = string | Uint8Array | URL

/** Where `readFiles` gets paths from: any iterable, or `listFiles(...)`, whose paths then never come over to JavaScript and back. */
export type FilePaths<P extends FilePath = FilePath> = Iterable<P> | AsyncIterable<P>

/** What is known of a file's failure: the fields of the errors of Node.js's own fs. */
export interface FileError extends Error {
  /** Such as `ENOENT`; Node.js's `ERR_*` codes for what is no path at all, and `EINVAL` for special files. */
  readonly code?: string
  readonly errno?: number
  readonly syscall?: string
  readonly path?: string
}

/** A file that was read: the path as it was given, and what is in the file. */
export interface FileData<P, D> {
  readonly path: P
  readonly data: D
  readonly error?: undefined
}

/** A file that could not be read. */
export interface FileFailure<P> {
  readonly path: P
  readonly error: FileError
  readonly data?: undefined
}

/** How files are read. */
export interface ReadFilesToArrayOptions {
  /** Text in this encoding, as Node.js's readFile gives it: `'utf8'` keeps a BOM and has U+FFFD for bad bytes. Default: a Buffer. */
  readonly encoding?: BufferEncoding | 'buffer' | null | undefined
  /**
   * How many files may be taken from the paths and not yet given as results. Default 2048. Of `listFiles` those do not count whose
   * results came over together with the one given last.
   */
  readonly maxFilesInFlight?: number | undefined
  /**
   * How many bytes may be read and not yet on their way as results; one file may go beyond. Default 64 MiB. What came over together
   * with the result given last does not count: 8 MiB, and one file beyond.
   */
  readonly maxBytesInFlight?: number | undefined
  /** How long reading one file may take, in milliseconds: after that its error has the code `ETIMEDOUT`. Default: as long as it takes. */
  readonly timeout?: number | undefined
  /** Ends the call with `signal.reason`. */
  readonly signal?: AbortSignal | undefined
  /**
   * Read pipes and devices too, whose readers may wait for ever (use `timeout` or `signal`). Default `false`: they are refused with
   * an error that says what they are, and are not opened.
   */
  readonly special?: boolean | undefined
}

/** How files are read one after the other. */
export interface ReadFilesOptions extends ReadFilesToArrayOptions {
  /** Give results in the order of the paths (default `true`), or as they come. */
  readonly ordered?: boolean | undefined
  /** A file that can't be read ends the iteration with its error (`'throw'`, the default), or is one of the results (`'yield'`). */
  readonly errors?: 'throw' | 'yield' | undefined
}

/**
 * Reads many files, with a bound on files and bytes in flight: an async iterator of `{ path, data }`. It reads ahead of the consumer
 * up to these bounds. Open files are bounded over all calls of the process, and a passing shortage of descriptors is waited out.
 *
 * `data` is an ordinary Buffer. Small files share memory as Node.js's own small Buffers do: keeping one keeps up to 64 KiB,
 * and their memory can't be transferred to another thread (a clone is sent).
 *
 * A string as `options` is the encoding, as for Node.js's readFile. Relative paths are found in the working folder at the time of the
 * call, and each option is read once, then. A file that is truncated while it is read gives no bytes that were never in it.
 *
 * `break`, `return()` and errors close the iterable of paths. An error of that iterable comes after the results of all its paths.
 *
 * @example
 * for await (const { path, data } of readFiles(paths, { encoding: 'utf8' })) {
 *   index(path, data)
 * }
 *
 * @example
 * for await (const { path, data } of readFiles(listFiles('content', { glob: '**\/*.md' }), { encoding: 'utf8' })) {
 *   render(path, data)
 * }
 */
export function readFiles<P extends FilePath>(
  paths: FilePaths<P>,
  options: ReadFilesOptions & { readonly encoding: BufferEncoding; readonly errors: 'yield' },
): AsyncGenerator<FileData<P, string> | FileFailure<P>, void>
export function readFiles<P extends FilePath>(
  paths: FilePaths<P>,
  options: ReadFilesOptions & { readonly encoding?: 'buffer' | null | undefined; readonly errors: 'yield' },
): AsyncGenerator<FileData<P, Buffer> | FileFailure<P>, void>
export function readFiles<P extends FilePath>(
  paths: FilePaths<P>,
  options: BufferEncoding | (ReadFilesOptions & { readonly encoding: BufferEncoding; readonly errors?: 'throw' | undefined }),
): AsyncGenerator<FileData<P, string>, void>
export function readFiles<P extends FilePath>(
  paths: FilePaths<P>,
  options?: 'buffer' | null | (ReadFilesOptions & { readonly encoding?: 'buffer' | null | undefined; readonly errors?: 'throw' | undefined }),
): AsyncGenerator<FileData<P, Buffer>, void>
export function readFiles<P extends FilePath>(
  paths: FilePaths<P>,
  options?: BufferEncoding | 'buffer' | null | (ReadFilesOptions & { readonly errors?: 'throw' | undefined }),
): AsyncGenerator<FileData<P, string | Buffer>, void>
export function readFiles<P extends FilePath>(
  paths: FilePaths<P>,
  options?: BufferEncoding | 'buffer' | null | ReadFilesOptions,
): AsyncGenerator<FileData<P, string | Buffer> | FileFailure<P>, void>
export function readFiles(
  paths: ListedFiles,
  options: ReadFilesOptions & { readonly encoding: BufferEncoding; readonly errors: 'yield' },
): AsyncGenerator<FileData<string | Buffer, string> | FileFailure<string | Buffer>, void>
export function readFiles(
  paths: ListedFiles,
  options: ReadFilesOptions & { readonly encoding?: 'buffer' | null | undefined; readonly errors: 'yield' },
): AsyncGenerator<FileData<string | Buffer, Buffer> | FileFailure<string | Buffer>, void>
export function readFiles(
  paths: ListedFiles,
  options: BufferEncoding | (ReadFilesOptions & { readonly encoding: BufferEncoding; readonly errors?: 'throw' | undefined }),
): AsyncGenerator<FileData<string | Buffer, string>, void>
export function readFiles(
  paths: ListedFiles,
  options?: 'buffer' | null | (ReadFilesOptions & { readonly encoding?: 'buffer' | null | undefined; readonly errors?: 'throw' | undefined }),
): AsyncGenerator<FileData<string | Buffer, Buffer>, void>
export function readFiles(
  paths: ListedFiles,
  options?: BufferEncoding | 'buffer' | null | (ReadFilesOptions & { readonly errors?: 'throw' | undefined }),
): AsyncGenerator<FileData<string | Buffer, string | Buffer>, void>
export function readFiles(
  paths: ListedFiles,
  options?: BufferEncoding | 'buffer' | null | ReadFilesOptions,
): AsyncGenerator<FileData<string | Buffer, string | Buffer> | FileFailure<string | Buffer>, void>

/**
 * Reads many files into an array, in the order of the paths: `{ path, data }`, or `{ path, error }` for those that can't be read.
 * All of them are held in memory; `readFiles` gives them one by one.
 *
 * @example
 * const files = await readFilesToArray(paths, 'utf8')
 */
export function readFilesToArray<P extends FilePath>(
  paths: FilePaths<P>,
  options: BufferEncoding | (ReadFilesToArrayOptions & { readonly encoding: BufferEncoding }),
): Promise<(FileData<P, string> | FileFailure<P>)[]>
export function readFilesToArray<P extends FilePath>(
  paths: FilePaths<P>,
  options?: 'buffer' | null | (ReadFilesToArrayOptions & { readonly encoding?: 'buffer' | null | undefined }),
): Promise<(FileData<P, Buffer> | FileFailure<P>)[]>
export function readFilesToArray<P extends FilePath>(
  paths: FilePaths<P>,
  options?: BufferEncoding | 'buffer' | null | ReadFilesToArrayOptions,
): Promise<(FileData<P, string | Buffer> | FileFailure<P>)[]>
export function readFilesToArray(
  paths: ListedFiles,
  options: BufferEncoding | (ReadFilesToArrayOptions & { readonly encoding: BufferEncoding }),
): Promise<(FileData<string | Buffer, string> | FileFailure<string | Buffer>)[]>
export function readFilesToArray(
  paths: ListedFiles,
  options?: 'buffer' | null | (ReadFilesToArrayOptions & { readonly encoding?: 'buffer' | null | undefined }),
): Promise<(FileData<string | Buffer, Buffer> | FileFailure<string | Buffer>)[]>
export function readFilesToArray(
  paths: ListedFiles,
  options?: BufferEncoding | 'buffer' | null | ReadFilesToArrayOptions,
): Promise<(FileData<string | Buffer, string | Buffer> | FileFailure<string | Buffer>)[]>

/**
 * Which files are listed. Patterns match the path relative to the folder, by characters: `*`, `**`, `?`, `[a-z]`, `[!a]`, `{a,b}`, `{1..3}`,
 * `@(a|b)`, `?(a)`, `*(a)`, `+(a)`, and `\` before what is text. What is not supported is refused by name: `!x` and `!(x)` (use
 * `ignore`), a leading `./` or `/`, and `..`. Folders that no pattern can match below are not entered.
 */
export interface ListFilesOptions {
  /** Only files whose path below the folder matches one of these patterns. A leading dot must be said, unless `hidden` is set. Default: all. */
  readonly glob?: string | readonly string[] | undefined
  /** Neither files nor folders that match one of these patterns; such folders are not entered. `'dir/'` matches folders only, and `'dir/**'` too. */
  readonly ignore?: string | readonly string[] | undefined
  /** List files and enter folders that symbolic links lead to; a loop is entered once. Default `false`: links below the folder are passed over. */
  readonly followSymlinks?: boolean | undefined
  /** Also files and folders whose name starts with a dot. Default `false`. */
  readonly hidden?: boolean | undefined
  /** Ends the iteration with `signal.reason`. */
  readonly signal?: AbortSignal | undefined
}

/** What `listFiles` returns: tasks, as `executeTasks` and `mapTasks` take them, and a source of paths for `readFiles`. Used once. */
export interface ListedFiles extends AsyncGenerator<SynchronizerTask<string | Buffer>, void> {}

/**
 * The regular files under a folder, in the order of their names, folder by folder: `{ task: path }`. A path starts with `dir` as it was
 * given, and is a Buffer where it is no UTF-8. `dir` may be a link to a folder; a relative one is found in the working folder
 * at the time of the call. A folder that can't be listed ends the iteration with its error; a passing shortage of descriptors is waited out.
 *
 * @example
 * await provider.executeTasks({
 *   maxTasksInFlight: 16,
 *   taskSource: listFiles('uploads', { ignore: 'tmp' }),
 *   taskExecutor: ({ task: path }) => upload(path),
 * })
 */
export function listFiles(dir: FilePath, options?: ListFilesOptions): ListedFiles
