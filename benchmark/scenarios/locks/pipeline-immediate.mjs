// Tasks that take one turn of the event loop, which a pipeline can overlap.

import { pipeline } from './parts/pipeline.mjs'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

export default pipeline('take one setImmediate', 50_000, nextTurn)
