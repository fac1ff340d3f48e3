// Takes the samples. Every sample comes from a process of its own, because what ran before in a process (another
// library's shapes in the inline caches, an AsyncLocalStorage, a grown heap) changes what runs after. A round
// measures every row once, each round in another order, so a machine that slows down for a while slows down all
// rows alike; ratios are taken within a round. Time that other processes took is left out where the system tells it.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execFileAsync = promisify(execFile)
const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url))
const TIMEOUT_MS = 120_000
const MIN_CALLS = 1_000

const takeSample = async (scenario, row, context, calls) => {
  const args = ['--expose-gc', CHILD, scenario.name, row, context, String(calls)]
  const { stdout } = await execFileAsync(process.execPath, args, { timeout: TIMEOUT_MS })
  return JSON.parse(stdout)
}

const rotated = (list, by) => list.map((_, index) => list[(index + by) % list.length])

/** One result a comparison: `samples` maps a row to its sample in each round. */
const runComparisons = async (comparisons, { rounds, quick }, onProgress) => {
  const results = comparisons.map((comparison) => ({
    ...comparison,
    samples: Object.fromEntries(comparison.scenario.rows.map((row) => [row, []])),
    failures: [],
  }))

  for (let round = 0; round < rounds; round++) {
    onProgress(`round ${round + 1} of ${rounds}:`)
    for (const { id, scenario, context, samples, failures } of results) {
      onProgress(` ${id}`)
      const calls = quick && scenario.canShorten ? Math.max(MIN_CALLS, scenario.calls / 10) : scenario.calls
      for (const row of rotated(scenario.rows, round)) {
        try {
          samples[row].push(await takeSample(scenario, row, context, calls))
        } catch (error) {
          // A hole keeps the samples of a round at one index.
          samples[row].push(undefined)
          failures.push(`${id}, ${row}: ${error.stderr || error.message}`)
        }
      }
    }
    onProgress('\n')
  }
  return results
}

export { runComparisons }
