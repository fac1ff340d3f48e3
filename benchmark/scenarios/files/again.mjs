// Small files in a process that reads them again and again.

import { atLeast, times } from '../../required.mjs'
import { onFiles } from './parts/files.mjs'
import { ARRAY, PROMISES, SYNC, readers } from './parts/readers.mjs'

export default {
  ...onFiles({ files: { count: 2000, size: 40 }, rows: readers, calls: 15 }),
  title: '2,000 files of 40 bytes, as text, again and again',
  required: [
    { claim: `${ARRAY}, vs ${PROMISES}`, ...atLeast(8, 'x'), measure: times(PROMISES, ARRAY, 'ms') },
    { claim: `${ARRAY}, vs ${SYNC}`, ...atLeast(1, 'x'), measure: times(SYNC, ARRAY, 'ms') },
  ],
}
