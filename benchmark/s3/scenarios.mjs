// What is compared: the shapes of keys, the ways for each, and what is required of their ratios.
//
// A way runs in a process of its own: in Node.js when ways.mjs has it, else as a command that peers.mjs has. `sample` is the
// share of the keys that a way gets which needs a request for each key; `once` says that one round is enough, because nothing
// is required of the way.

import { LISTERS } from './ways.mjs'

const PREFIX = 'data/'
const PAGE = 1000
const LATENCY = { latencyList: 40, latencyDelete: 100 }

const FUSED = 'fused executeTasks, defaults'
const SERIAL = 'fused executeTasks, parallelListing: 1'
const WHOLE = 'deletePrefix, defaults'
const PAGES = 'JavaScript SDK, page by page'
const TASKS = 'JavaScript SDK, executeTasks at 50'
const SHARDED = `JavaScript SDK, executeTasks at 50, ${LISTERS} listers`
const S5CMD = 's5cmd rm'
const BOUND = 'one page after the other, without any other work'

const ways = {
  [PAGES]: { run: 'pageByPage', once: true },
  [TASKS]: { run: 'tasks' },
  [SHARDED]: { run: 'shardedTasks' },
  [FUSED]: { run: 'fused' },
  [SERIAL]: { run: 'fusedSerial' },
  [WHOLE]: { run: 'deletePrefix' },
  [S5CMD]: { peer: 's5cmd' },
  'boto3, page by page': { peer: 'boto3', once: true },
  'rclone delete, 50 at once': { peer: 'rclone', sample: 1 / 10, once: true },
  'aws s3 rm --recursive, 50 at once': { peer: 'awscli', sample: 1 / 10, once: true },
}

/**
 * The keys a second that no client can beat which lists one page after the other: the latencies, and no time for anything else. The
 * store's own work and the rounding of its timers are in the measured time of every page, so even a client that does nothing between
 * pages stays below; a plain loop over the Rust SDK reached 0.86 of it, and what is required is to come within 10% of that.
 */
const serialBound = (keys) => (keys / (Math.ceil(keys / PAGE) * LATENCY.latencyList + LATENCY.latencyDelete)) * 1000
const SERIAL_SHARE = 0.9 * 0.86

const always = [
  { way: FUSED, field: 'delayMs', below: 10, claim: 'event-loop delay p99, in ms' },
  { way: FUSED, field: 'cpu', over: TASKS, atLeast: 5, claim: 'client CPU of that way, over that of the fused one' },
  { way: SERIAL, field: 'rate', over: BOUND, atLeast: SERIAL_SHARE, claim: 'keys/s, over that bound' },
]

const fast = (times) =>
  [TASKS, S5CMD].map((over) => ({ way: FUSED, field: 'rate', over, atLeast: times, claim: 'keys/s, over that way' }))

const scenarios = {
  prefixes: {
    title: 'keys under 16 sub-prefixes',
    template: `${PREFIX}{i%16:04}/{i:08}`,
    required: [...fast(7), ...always],
  },
  flat: { title: 'flat keys', template: `${PREFIX}{i:08}`, required: [...fast(5.5), ...always] },
}

/** Ratios of keys/s that tell where a gain comes from. */
const parts = [
  { what: 'from parallel listing, in JavaScript', way: SHARDED, over: TASKS },
  { what: 'from Rust, with parallel listing on both sides', way: FUSED, over: SHARDED },
  { what: 'from Rust, with serial listing on both sides', way: SERIAL, over: TASKS },
]

export { BOUND, LATENCY, PREFIX, WHOLE, parts, scenarios, serialBound, ways }
