// Tasks that are done at once, where only the pipeline costs.

import { PRODUCT } from '../../product.mjs'
import { atLeast, atMost, times } from '../../required.mjs'
import { BARE_LOOP } from './parts/bare-loop.mjs'
import { timesFasterThan } from './parts/columns.mjs'
import { pipeline } from './parts/pipeline.mjs'

export default {
  ...pipeline('end at once', 200_000, async () => {}),
  required: [
    { claim: 'executeTasks, vs the bare loop', ...atMost(2, 'x'), measure: times(PRODUCT, BARE_LOOP, 'ns') },
    { claim: 'executeTasks, vs p-map', ...atLeast(1.8, 'x'), measure: timesFasterThan('p-map') },
  ],
}
