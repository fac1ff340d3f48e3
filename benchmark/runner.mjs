// Takes the samples. Every sample comes from a process of its own, because what ran before in a process (another
// library's shapes in the inline caches, an AsyncLocalStorage, a grown heap) changes what runs after. A round
// measures every row once, each round in another order, so a machine that slows down for a while slows down all
// rows alike; ratios are taken within a round. Time that other processes took is left out where the system tells it.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execFileAsync = promisify(execFile)
const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url))
const TIMEOUT_MS = 600_000

const roundsOf = ({ scenario, rows }, options) => {
  if (rows.every((row) => scenario.once.includes(row))) return 1
  return options.rounds ?? (options.quick ? 1 : scenario.rounds)
}

const callsOf = ({ calls, callsOption, canShorten, shares }, row, options) => {
  const wanted = options[callsOption?.name] ?? (options.quick && canShorten ? calls / 10 : calls)
  return Math.max(1, Math.round(wanted * (shares[row] ?? 1)))
}

const takeSample = async ({ path, around }, row, context, calls, state) => {
  const inProcess = async () => {
    const args = ['--expose-gc', CHILD, path, row, context, String(calls), JSON.stringify(state)]
    const { stdout } = await execFileAsync(process.execPath, args, { timeout: TIMEOUT_MS })
    return JSON.parse(stdout)
  }
  return around === undefined ? inProcess() : around(state, row, calls, inProcess)
}

const rotated = (list, by) => list.map((_, index) => list[(index + by) % list.length])

/** One result a comparison: `samples` maps a row to its sample in each round. */
const runComparisons = async (comparisons, options, onProgress) => {
  const results = comparisons.map((comparison) => ({
    ...comparison,
    rounds: roundsOf(comparison, options),
    samples: Object.fromEntries(comparison.rows.map((row) => [row, []])),
    failures: [],
  }))
  const states = new Map()

  const takeRound = async ({ id, scenario, context, rows, samples, failures }, round) => {
    const due = rotated(rows, round).filter((row) => round === 0 || !scenario.once.includes(row))
    if (due.length === 0) return
    onProgress(` ${id}`)
    if (!states.has(scenario)) states.set(scenario, (await scenario.setup?.()) ?? {})
    for (const row of due) {
      try {
        const calls = callsOf(scenario, row, options)
        samples[row].push(await takeSample(scenario, row, context, calls, states.get(scenario)))
      } catch (error) {
        // A hole keeps the samples of a round at one index.
        samples[row].push(undefined)
        failures.push(`${id}, ${row}: ${error.stderr || error.message}`)
      }
    }
  }

  try {
    const rounds = Math.max(...results.map((result) => result.rounds))
    for (let round = 0; round < rounds; round++) {
      onProgress(`round ${round + 1} of ${rounds}:`)
      for (const result of results) if (round < result.rounds) await takeRound(result, round)
      onProgress('\n')
    }
  } finally {
    for (const [scenario, state] of states) await scenario.teardown?.(state)
  }
  return results
}

export { runComparisons }
