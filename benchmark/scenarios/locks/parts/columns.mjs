// The columns of all tables of locks and pipelines, and the comparison that most requirements make.

import { PRODUCT } from '../../../product.mjs'
import { times } from '../../../required.mjs'
import { BARE_LOOP } from './bare-loop.mjs'

const columnsPer = (unit) => [
  { field: 'ns', title: `ns/${unit}` },
  { field: 'ns', title: `x ${BARE_LOOP}`, over: BARE_LOOP },
  { field: 'ns', title: `x ${PRODUCT}`, over: PRODUCT },
  { field: 'bytes', title: `bytes/${unit}` },
  { field: 'entries', title: 'entries left' },
]

const timesFasterThan = (peer) => times(peer, PRODUCT, 'ns')

export { columnsPer, timesFasterThan }
