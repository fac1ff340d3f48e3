// ya-syn-native/fs, used as a program would.
import { SynchronizerProvider } from 'ya-syn-native'
import { listFiles, readFiles, readFilesToArray } from 'ya-syn-native/fs'
import type { FileData, FileFailure, ListedFiles, ReadFilesOptions } from 'ya-syn-native/fs'
import { exactly } from '../exactly.js'

const { signal } = new AbortController()
const names: string[] = ['a']

export async function reading(urls: AsyncIterable<URL>): Promise<void> {
  for await (const { path, data } of readFiles(names)) {
    exactly<string>()(path)
    data.readUInt8(0)
  }
  for await (const { path, data } of readFiles(urls, {
    encoding: 'utf8',
    ordered: false,
    timeout: 5,
    signal,
    special: true,
  })) {
    exactly<URL>()(path)
    exactly<string>()(data)
  }
  for await (const file of readFiles(names, { encoding: 'utf8', errors: 'yield' })) {
    if (file.error === undefined) exactly<string>()(file.data)
    else exactly<string | undefined>()(file.error.code)
  }
  exactly<(FileData<string, string> | FileFailure<string>)[]>()(await readFilesToArray(names, { encoding: 'utf8' }))
  exactly<(FileData<string, string> | FileFailure<string>)[]>()(await readFilesToArray(names, 'utf8'))
  for await (const { data } of readFiles(listFiles('.'), 'hex')) exactly<string>()(data)
  const open = { encoding: 'utf8' as BufferEncoding | undefined }
  exactly<(FileData<string, string | Buffer> | FileFailure<string>)[]>()(await readFilesToArray(names, open))
  for await (const { data } of readFiles(names, open)) exactly<string | Buffer>()(data)
  for await (const { data } of readFiles(listFiles('.'), open)) exactly<string | Buffer>()(data)
  const options: ReadFilesOptions & { encoding: 'latin1'; errors: 'throw' } = {
    encoding: 'latin1',
    errors: 'throw',
    maxBytesInFlight: 1,
  }
  for await (const { data } of readFiles(listFiles('.'), options)) exactly<string>()(data)
}

export async function listing(): Promise<void> {
  const files = listFiles('.', {
    glob: ['**/*.ts'],
    ignore: 'node_modules',
    followSymlinks: true,
    hidden: true,
    signal,
  })
  exactly<ListedFiles>()(files)
  await new SynchronizerProvider().executeTasks({
    maxTasksInFlight: 1,
    taskSource: files,
    taskExecutor: async ({ task }) => exactly<string | Buffer>()(task),
  })
}

export function refused(): void {
  // @ts-expect-error a number is no path
  readFiles([1])
  // @ts-expect-error no such encoding
  readFiles(['a'], { encoding: 'utf9' })
  // @ts-expect-error no such encoding
  void readFilesToArray(['a'], 'utf9')
  // @ts-expect-error no such way to tell errors
  readFiles(['a'], { errors: 'ignore' })
}
