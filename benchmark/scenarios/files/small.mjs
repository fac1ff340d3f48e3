// Small files in the first call of a process.

import { atLeast, times } from '../../required.mjs'
import { onFiles } from './parts/files.mjs'
import { ARRAY, CALLBACKS, PROMISES, SYNC, readers } from './parts/readers.mjs'

export default {
  ...onFiles({ files: { count: 2000, size: 40 }, rows: readers, calls: 1, isCold: true }),
  title: '2,000 files of 40 bytes, as text, in the first call of a process',
  required: [
    { claim: `${ARRAY}, vs ${PROMISES}`, ...atLeast(8, 'x'), measure: times(PROMISES, ARRAY, 'ms') },
    { claim: `${ARRAY}, vs ${CALLBACKS}`, ...atLeast(4, 'x'), measure: times(CALLBACKS, ARRAY, 'ms') },
    { claim: `${ARRAY}, vs ${SYNC}`, ...atLeast(1, 'x'), measure: times(SYNC, ARRAY, 'ms') },
  ],
}
