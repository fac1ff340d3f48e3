// A queue of 1,000,000 callers on one semaphore, and how much more each costs than in a short queue.

import { PRODUCT } from '../../product.mjs'
import { atLeast, atMost } from '../../required.mjs'
import { medianRatio } from '../../stats.mjs'
import { timesFasterThan } from './parts/columns.mjs'
import { queued } from './parts/queued.mjs'

export default {
  ...queued(1_000_000),
  required: [
    { claim: 'queued on one semaphore, vs p-limit', ...atLeast(1.8, 'x'), measure: timesFasterThan('p-limit') },
    {
      claim: 'a waiter among 1,000,000, vs one among 10,000',
      ...atMost(3, 'x'),
      measure: (samples, samplesOf) => medianRatio(samples[PRODUCT], samplesOf('queued-10k')[PRODUCT], 'ns'),
    },
  ],
}
