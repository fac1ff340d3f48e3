// Large files, as bytes: the rate of the disk's cache counts, and how much memory a way holds meanwhile.

import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import pMap from 'p-map'
import { readFiles } from '../../../fs.mjs'
import { atLeast } from '../../required.mjs'
import { medianOf, medianRatio } from '../../stats.mjs'
import { onFiles } from './parts/files.mjs'
import { LOOP, SYNC, readFileCallback } from './parts/readers.mjs'

const pooled =
  (read) =>
  ({ paths }) =>
    pMap(paths, async (path) => void (await read(path)), { concurrency: 16 })

const PRODUCT = 'readFiles'

const rows = {
  [PRODUCT]: async ({ paths }) => {
    for await (const _ of readFiles(paths));
  },
  [LOOP]: async ({ paths }) => {
    for (const path of paths) await readFile(path)
  },
  'p-map of fs.promises.readFile, 16 at once': pooled(readFile),
  'p-map of callback readFile, 16 at once': pooled(readFileCallback),
  [SYNC]: async ({ paths }) => paths.forEach((path) => void readFileSync(path)),
}

const timesFastestOther = (samples) => {
  const others = Object.keys(samples).filter((row) => row !== PRODUCT)
  others.sort((a, b) => medianOf(samples[a], 'ms') - medianOf(samples[b], 'ms'))
  return medianRatio(samples[others[0]], samples[PRODUCT], 'ms')
}

export default {
  ...onFiles({ files: { count: 100, size: 10_000_000 }, rows, calls: 2 }),
  title: '100 files of 10 MB, each dropped once it is read',
  required: [{ claim: `${PRODUCT}, vs the fastest other`, ...atLeast(1, 'x'), measure: timesFastestOther }],
}
