// A queue of 100,000 callers on one semaphore.

import { atLeast } from '../../required.mjs'
import { timesFasterThan } from './parts/columns.mjs'
import { queued } from './parts/queued.mjs'

const claim = 'queued on one semaphore, vs p-limit'

export default {
  ...queued(100_000),
  contexts: ['plain', 'als'],
  required: [{ claim, context: 'plain', ...atLeast(1.8, 'x'), measure: timesFasterThan('p-limit') }],
}
