// Deletes from a store that lets each prefix take so many keys a second, and watches how near the client stays to that.

import { setTimeout as sleep } from 'node:timers/promises'
import { atLeast, below, median } from '../../required.mjs'
import { bucket, checkEmpty, fill, target } from './parts/bucket.mjs'
import { measure } from './parts/emptying.mjs'
import { WHOLE } from './parts/ways.mjs'

const PREFIXES = 8
const RATE = 3500
const ALLOWED = PREFIXES * RATE
const SECONDS = 30
// The burst is used up and the pace is found.
const STEADY_FROM_MS = 2000
// At the end some prefixes are empty before others.
const STEADY_UNTIL = 0.9
const POLL_MS = 100

const KEYS = SECONDS * ALLOWED
const template = `${target.Prefix}{i%${PREFIXES}:02}/{i:08}`
const text = (number) => number.toLocaleString('en')

/** What the store demands, besides its latency. */
const limits = { keysPerSecondPerPrefix: RATE, prefixLength: target.Prefix.length + 2 }

/** Watches the store until `run` settles; resolves to what happened while the rate was steady. */
async function watch(server, run) {
  const marks = []
  let isOver = false
  const result = run.finally(() => (isOver = true))
  // It is awaited below.
  result.catch(() => {})
  while (!isOver) {
    const { keys, throttled, requests } = await server.stats()
    // Deletes only: listings are never throttled here, and would make the share of those that are look smaller.
    const deletes = requests.byOperation.DeleteObjects ?? 0
    if (deletes > 0) marks.push({ at: performance.now(), deleted: keys.deleted, throttled, deletes })
    await sleep(POLL_MS)
  }
  const { counts } = await result
  const from = marks.find(({ at }) => at >= marks[0].at + STEADY_FROM_MS)
  const until = marks.findLast(({ deleted }) => deleted <= STEADY_UNTIL * KEYS)
  return {
    ofAllowed: (((until.deleted - from.deleted) / (until.at - from.at)) * 1000) / ALLOWED,
    throttledShare: (until.throttled - from.throttled) / (until.deletes - from.deletes),
    throttled: marks.at(-1).throttled,
    failed: counts.failed,
  }
}

const around = async ({ server }, row, count, takeSample) => {
  await fill(server, { template, count })
  await server.configure(limits)
  const sample = await watch(server, takeSample())
  await checkEmpty(server)
  return sample
}

export default {
  title: `${text(KEYS)} keys under ${PREFIXES} prefixes that take ${text(RATE)} keys a second each, with one second's burst`,
  rows: [WHOLE],
  columns: [
    { field: 'ofAllowed', title: 'of the allowed rate', digits: 3 },
    { field: 'throttledShare', title: 'share of throttled requests', digits: 3 },
    { field: 'throttled', title: 'throttled requests' },
    { field: 'failed', title: 'failed keys' },
  ],
  rounds: 3,
  // It is long, and its figures are shares of what the store allows.
  once: [WHOLE],
  calls: KEYS,
  canShorten: false,
  ...bucket,
  around,
  measure,
  required: [
    {
      claim: `share of ${text(ALLOWED)} keys/s after two seconds`,
      ...atLeast(0.9),
      measure: median(WHOLE, 'ofAllowed'),
    },
    { claim: 'share of delete requests throttled meanwhile', ...below(0.05), measure: median(WHOLE, 'throttledShare') },
    { claim: 'failed keys', ...below(1), measure: median(WHOLE, 'failed') },
  ],
}
