// Mappers that are done at once, where only the mapping of many values costs; there are no files in it.

import pMap from 'p-map'
import { SynchronizerProvider } from '../../../index.mjs'
import { atLeast, times } from '../../required.mjs'
import { onFiles } from './parts/files.mjs'

const LIMIT = 50

const provider = new SynchronizerProvider()
const values = () => Array.from({ length: 100_000 }, (_, value) => value)

const rows = {
  mapAll: () => provider.mapAll(values(), async (value) => value, { maxTasksInExecution: LIMIT }),
  'p-map': () => pMap(values(), async (value) => value, { concurrency: LIMIT }),
}

export default {
  ...onFiles({ files: { count: 0, size: 0 }, rows, calls: 8 }),
  title: `100,000 instant mappers, ${LIMIT} at once`,
  required: [{ claim: 'mapAll, vs p-map', ...atLeast(1.5, 'x'), measure: times('p-map', 'mapAll', 'ms') }],
}
