// Deletes from a store that lets each prefix take so many keys a second, and watches how near the client stays to that.

import { setTimeout as sleep } from 'node:timers/promises'
import { PREFIX } from './scenarios.mjs'

const PREFIXES = 8
const RATE = 3500
const ALLOWED = PREFIXES * RATE
const SECONDS = 30
// The burst is used up and the pace is found.
const STEADY_FROM_MS = 2000
// At the end some prefixes are empty before others.
const STEADY_UNTIL = 0.9
const POLL_MS = 100

const target = { keys: SECONDS * ALLOWED, template: `${PREFIX}{i%${PREFIXES}:02}/{i:08}` }
const title = `${target.keys.toLocaleString('en')} keys under ${PREFIXES} prefixes that take ${RATE.toLocaleString('en')} keys a second each, with one second's burst`

/** What the store demands, besides its latency. */
const limits = { keysPerSecondPerPrefix: RATE, prefixLength: PREFIX.length + 2 }

/** Watches the store until `run` settles; resolves to what happened while the rate was steady. */
async function watch(server, run) {
  const marks = []
  let isOver = false
  const result = run.finally(() => {
    isOver = true
  })
  // It is awaited below.
  result.catch(() => {})
  while (!isOver) {
    const { keys, throttled, requests, inFlight } = await server.stats()
    // Deletes only: listings are never throttled here, and would make the share of those that are look smaller.
    const deletes = requests.byOperation.DeleteObjects ?? 0
    if (deletes > 0)
      marks.push({
        at: performance.now(),
        deleted: keys.deleted,
        throttled,
        deletes,
        peak: inFlight.byOperation.DeleteObjects.peak,
      })
    await sleep(POLL_MS)
  }
  const { counts } = await result
  const from = marks.find(({ at }) => at >= marks[0].at + STEADY_FROM_MS)
  const until = marks.findLast(({ deleted }) => deleted <= STEADY_UNTIL * target.keys)
  return {
    ofAllowed: (((until.deleted - from.deleted) / (until.at - from.at)) * 1000) / ALLOWED,
    throttledShare: (until.throttled - from.throttled) / (until.deletes - from.deletes),
    throttled: marks.at(-1).throttled,
    failed: counts.failed,
  }
}

const required = [
  {
    field: 'ofAllowed',
    atLeast: 0.9,
    claim: `share of ${ALLOWED.toLocaleString('en')} keys/s after the first two seconds`,
  },
  { field: 'throttledShare', below: 0.05, claim: 'share of delete requests that were throttled in that time' },
  { field: 'failed', below: 1, claim: 'failed keys' },
]

export { limits, required, target, title, watch }
