// The ways to read many files as text.

import { readFile, readFileSync } from 'node:fs'
import { readFile as readFilePromise } from 'node:fs/promises'
import { promisify } from 'node:util'
import { listFiles, readFiles, readFilesToArray } from '../../../../fs.mjs'
import { SynchronizerProvider } from '../../../../index.mjs'

const ARRAY = 'readFilesToArray'
const PROMISES = 'Promise.all of fs.promises.readFile'
const CALLBACKS = 'Promise.all of callback readFile'
const SYNC = 'readFileSync in a loop'
const LOOP = 'await in a loop'

const encoding = 'utf8'
const readFileCallback = promisify(readFile)
const provider = new SynchronizerProvider()

const readers = {
  [ARRAY]: ({ paths }) => readFilesToArray(paths, { encoding }),
  [LOOP]: async ({ paths }) => {
    for (const path of paths) await readFilePromise(path, encoding)
  },
  [PROMISES]: ({ paths }) => Promise.all(paths.map((path) => readFilePromise(path, encoding))),
  [CALLBACKS]: ({ paths }) => Promise.all(paths.map((path) => readFileCallback(path, encoding))),
  [SYNC]: async ({ paths }) => paths.map((path) => readFileSync(path, encoding)),
  readFiles: async ({ paths }) => {
    for await (const _ of readFiles(paths, { encoding }));
  },
  'readFiles of listFiles': async ({ folder }) => {
    for await (const _ of readFiles(listFiles(folder), { encoding }));
  },
  'mapAll of fs.promises.readFile, 16 at once': ({ paths }) =>
    provider.mapAll(paths, (path) => readFilePromise(path, encoding), { maxTasksInExecution: 16 }),
}

export { ARRAY, CALLBACKS, LOOP, PROMISES, SYNC, readFileCallback, readers }
