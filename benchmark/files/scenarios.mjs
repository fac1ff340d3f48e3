// What is compared: for each scenario its files, its rows (each runs once when called), and what is required of the ratios.

import { readFile, readFileSync } from 'node:fs'
import { readFile as readFilePromise } from 'node:fs/promises'
import { promisify } from 'node:util'
import pMap from 'p-map'
import { SynchronizerProvider } from '../../index.mjs'
import { listFiles, readFiles, readFilesToArray } from '../../fs.mjs'

const PRODUCT = 'readFilesToArray'
const PROMISES = 'Promise.all of fs.promises.readFile'
const CALLBACKS = 'Promise.all of callback readFile'
const SYNC = 'readFileSync in a loop'
const LOOP = 'await in a loop'
const POOLED = 'p-map of fs.promises.readFile, 16 at once'
const LIMIT = 50

const readFileCallback = promisify(readFile)
const provider = new SynchronizerProvider()

const readers = (encoding) => ({
  [PRODUCT]: ({ paths }) => readFilesToArray(paths, { encoding }),
  [LOOP]: async ({ paths }) => {
    for (const path of paths) await readFilePromise(path, encoding)
  },
  [PROMISES]: ({ paths }) => Promise.all(paths.map((path) => readFilePromise(path, encoding))),
  [CALLBACKS]: ({ paths }) => Promise.all(paths.map((path) => readFileCallback(path, encoding))),
  [SYNC]: async ({ paths }) => paths.map((path) => readFileSync(path, encoding)),
})

const small = readers('utf8')
const large = readers(undefined)

const smallRows = {
  ...small,
  readFiles: async ({ paths }) => {
    for await (const _ of readFiles(paths, { encoding: 'utf8' }));
  },
  'readFiles of listFiles': async ({ folder }) => {
    for await (const _ of readFiles(listFiles(folder), { encoding: 'utf8' }));
  },
  'mapAll of fs.promises.readFile, 16 at once': ({ paths }) =>
    provider.mapAll(paths, (path) => readFilePromise(path, 'utf8'), { maxTasksInExecution: 16 }),
}

const scenarios = {
  small: {
    title: '2,000 files of 40 bytes, as text, in the first call of a process',
    files: { count: 2000, size: 40 },
    isCold: true,
    repeat: 1,
    rows: smallRows,
    required: [
      { row: PROMISES, over: PRODUCT, atLeast: 8 },
      { row: CALLBACKS, over: PRODUCT, atLeast: 4 },
      { row: SYNC, over: PRODUCT, atLeast: 1 },
    ],
  },
  again: {
    title: '2,000 files of 40 bytes, as text, again and again',
    files: { count: 2000, size: 40 },
    repeat: 15,
    rows: smallRows,
    required: [
      { row: PROMISES, over: PRODUCT, atLeast: 8 },
      { row: SYNC, over: PRODUCT, atLeast: 1 },
    ],
  },
  many: {
    title: '50,000 files of 40 bytes, as text',
    files: { count: 50_000, size: 40 },
    repeat: 2,
    rows: { [PRODUCT]: small[PRODUCT], [SYNC]: small[SYNC] },
    required: [{ row: PRODUCT, field: 'delay', atMost: 10 }],
  },
  large: {
    title: '100 files of 10 MB, each dropped once it is read',
    files: { count: 100, size: 10_000_000 },
    repeat: 2,
    rows: {
      readFiles: async ({ paths }) => {
        for await (const _ of readFiles(paths));
      },
      [LOOP]: large[LOOP],
      [POOLED]: ({ paths }) => pMap(paths, async (path) => void (await readFilePromise(path)), { concurrency: 16 }),
      'p-map of callback readFile, 16 at once': ({ paths }) =>
        pMap(paths, async (path) => void (await readFileCallback(path)), { concurrency: 16 }),
      [SYNC]: async ({ paths }) => paths.forEach((path) => void readFileSync(path)),
    },
    required: [{ row: 'the fastest other', over: 'readFiles', atLeast: 1 }],
  },
  map: {
    title: `100,000 instant mappers, ${LIMIT} at once`,
    files: { count: 0, size: 0 },
    repeat: 8,
    rows: {
      mapAll: () => provider.mapAll(values(), async (value) => value, { maxTasksInExecution: LIMIT }),
      'p-map': () => pMap(values(), async (value) => value, { concurrency: LIMIT }),
    },
    required: [{ row: 'p-map', over: 'mapAll', atLeast: 1.5 }],
  },
}

function values() {
  return Array.from({ length: 100_000 }, (_, value) => value)
}

export { scenarios }
