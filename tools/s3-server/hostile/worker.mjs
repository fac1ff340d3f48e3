// The process that the addon runs in: tries seeds, several at once, on one server, and tells the parent of each.
import { startS3Server } from '../start.mjs'
import { Dice } from './dice.mjs'
import { runJob } from './job.mjs'
import { judge } from './judge.mjs'
import { drawScenario } from './scenario.mjs'

/** How long a request may take, in milliseconds, at a store that is silent or late at times; and at one that is not. */
const SHORT = 500
const LONG = 10_000

const send = (message) => new Promise((resolve) => process.send(message, resolve))

process.on('unhandledRejection', (error) => send({ stray: `an unhandled rejection: ${error?.stack ?? error}` }))
process.on('uncaughtException', (error) => send({ stray: `an uncaught exception: ${error.stack}` }))
process.on('warning', () => {})

process.once('message', async ({ cases, concurrency }) => {
  const server = await startS3Server()
  const queue = cases.values()
  // All of them take from the one iterator.
  await Promise.all(Array.from({ length: concurrency }, () => work(queue, server)))
  const buckets = cases.map(({ seed }) => `/hostile-${seed}/`)
  for (const { method, uri } of await server.hostile.strays()) {
    // A question that nobody waited for may arrive when its bucket is forgotten; what would change something may not.
    const isLate = method === 'GET' && buckets.some((bucket) => uri.startsWith(bucket))
    if (!isLate) await send({ stray: `a request to another bucket: ${method} ${uri}` })
  }
  await server.stop()
  await send({ over: true })
  process.disconnect()
})

async function work(queue, server) {
  for (const given of queue) {
    await send({ began: given.seed })
    try {
      await send({ ended: given.seed, ...(await tryOne(given, server)) })
    } catch (error) {
      await send({ ended: given.seed, wrong: [`the harness failed: ${error.stack}`] })
    }
  }
}

/** Tries one seed; `profile` and `change` replace parts of what it stands for, for tests of one kind of fault. */
async function tryOne({ seed, profile, change = {} }, server) {
  const scenario = { ...drawScenario(seed), ...change }
  const { versioned, versions, keys, decoys } = scenario
  const Bucket = `hostile-${seed}`
  const made = await server.hostile.make({ bucket: Bucket, seed, keys, decoys, versioned, versions, profile })
  const { initial } = await server.hostile.report(Bucket)
  const given = scenario.job.startsWith('executor') ? drawGiven(scenario, initial) : undefined
  const requestTimeout = isSlow(made.profile) ? SHORT : LONG
  // Where each request may take its whole time, one after the other would take minutes by right.
  if (isSlow(made.profile)) Object.assign(scenario.deletion, { maxTasksInExecution: 50, limitPerKey: undefined, batchSize: 10 })
  const { endpoint, credentials } = server
  const seen = await runJob(scenario, { Bucket, endpoint, credentials, requestTimeout, given })
  const report = await server.hostile.report(Bucket)
  await server.hostile.forget(Bucket)
  const wrong = judge(scenario, seen, report, { Bucket, host: new URL(endpoint).host, given })
  return { wrong, elapsed: seen.elapsed, ...(wrong.length > 0 ? tell(scenario, seen, report) : {}) }
}

function isSlow({ habits, chance, once }) {
  return chance > 0 || [...habits, once?.[0]].some((mutation) => mutation === 'silence' || mutation === 'delay')
}

/** What the executor is to delete: some of what there is, and some that never was. */
function drawGiven({ seed, prefix, versions }, initial) {
  const dice = new Dice(seed + 0.5)
  const real = initial.filter(([key]) => key.startsWith(prefix) && dice.percent(70)).map(([Key, VersionId]) => (versions ? { Key, VersionId } : { Key }))
  const never = { Key: `${prefix}never was` }
  return versions ? real : [...real, never]
}

/** What helps to understand a failure. */
function tell(scenario, seen, report) {
  const { keys, decoys, ...job } = scenario
  const requests = report.requests.map(({ method, uri, items, mutations, performed, status }) => {
    const what = items.length > 0 ? ` [${items.slice(0, 3).map(([key, version]) => JSON.stringify(key) + (version ? `@${version}` : '')).join(', ')}${items.length > 3 ? `, ${items.length} in all` : ''}]` : ''
    return `${method} ${uri}${what} -> ${status || 'nothing'}${performed ? `, ${performed} done` : ''}${mutations.length > 0 ? ` (${mutations.join(', ')})` : ''}`
  })
  const { error, value, taskErrors } = seen
  const end = error === undefined ? `resolved: ${JSON.stringify(value)}` : `rejected: ${error.name} ${error.code}: ${error.message} ${JSON.stringify(error.counts)}`
  return { job: { ...job, keys: keys.length, decoys: decoys.length }, profile: report.profile, end, taskErrors: taskErrors.map(({ message }) => message), requests }
}
