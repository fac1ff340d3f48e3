// npm run check:hostile -- [--seeds N] [--from S] [--seed S] [--concurrency N] [--bound SECONDS]
//
// Tries the S3 client on a store that answers amiss by a seed, and compares what it says with what the store knows. A seed that failed is
// tried alone with --seed.
import { parseArgs } from 'node:util'
import { tryCases } from './run.mjs'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', multiple: true },
    concurrency: { type: 'string', default: '24' },
    bound: { type: 'string', default: '600' },
    brief: { type: 'boolean', default: false },
  },
})

const seeds = values.seed?.map(Number) ?? Array.from({ length: Number(values.seeds) }, (_, i) => Number(values.from) + i)
const bad = seeds.find((seed) => !Number.isSafeInteger(seed) || seed < 0)
if (bad !== undefined || seeds.length === 0) {
  console.error(`A seed must be an integer, 0 or more, but is ${bad}`)
  process.exit(2)
}

const { tried, failures, elapsed } = await tryCases(
  seeds.map((seed) => ({ seed })),
  { concurrency: Number(values.concurrency), bound: Number(values.bound) * 1000, onFailure: report },
)
const failed = new Set(failures.map(({ seed }) => seed)).size
console.log(`hostile store: ${tried} of ${seeds.length} seeds tried in ${(elapsed / 1000).toFixed(1)} s, ${failed} failed`)
process.exitCode = failures.length > 0 || tried < seeds.length ? 1 : 0

function report({ seed, wrong, job, profile, end, taskErrors = [], requests = [] }) {
  console.log(`\nseed ${seed} ${job === undefined ? '' : `(${job.job}, ${JSON.stringify(profile)})`}`)
  for (const fact of wrong) console.log(`  wrong: ${fact}`)
  if (job === undefined || values.brief) return
  console.log(`  job: ${JSON.stringify(job)}`)
  console.log(`  ${end}`)
  for (const message of taskErrors.slice(0, 5)) console.log(`  onTaskError: ${message}`)
  // One seed alone shows all.
  const shown = seeds.length === 1 ? requests : requests.slice(0, 12)
  for (const request of shown) console.log(`    ${request}`)
  if (shown.length < requests.length) console.log(`    and ${requests.length - shown.length} more requests`)
  console.log(`  again: npm run check:hostile -- --seed ${seed}`)
}
