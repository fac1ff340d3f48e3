// So many small files that the time between two turns of the event loop tells.

import { below, median } from '../../required.mjs'
import { onFiles } from './parts/files.mjs'
import { ARRAY, SYNC, readers } from './parts/readers.mjs'

const rows = { [ARRAY]: readers[ARRAY], [SYNC]: readers[SYNC] }

export default {
  ...onFiles({ files: { count: 50_000, size: 40 }, rows, calls: 2 }),
  title: '50,000 files of 40 bytes, as text',
  required: [{ claim: `${ARRAY}: event-loop delay p99`, ...below(10, ' ms'), measure: median(ARRAY, 'delay') }],
}
