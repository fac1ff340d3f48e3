// Finds the scenarios. A folder in `scenarios/` is a group, which `npm run bench -- GROUP` runs; every module in it
// is a scenario with the name of its file, and its folder `parts/` holds what they share. A scenario exports by default:
//
//   title                    what is measured
//   rows                     the names of what is compared
//   columns                  [{ field, title, digits, scale }] of the samples; with `over` (a row) a ratio to that row
//   measure(row, calls, state)  one sample, an object of numbers; it runs in a process of its own
//   calls                    how much of it a sample does; `shares: { row: 0.1 }` gives a row less
//   canShorten               whether --quick may do a tenth of the calls (default true)
//   callsOption              an option that sets the calls: { name, help }
//   rounds                   how often each row is measured (default 5); the rows in `once` need one sample only
//   contexts                 'plain', 'als' (inside an AsyncLocalStorage) or both (default 'plain', and not told)
//   setup(), teardown(state) what is there while the scenario is measured; `measure` gets what JSON keeps of the state
//   around(state, row, calls, takeSample)  runs beside each sample, in the process of the runner, and returns the sample
//   peers()                  { versions, skipped: { row: why } } of tools that may be missing
//   required                 the lines that the judge reads: see required.mjs
//
// Once an AsyncLocalStorage has run, every promise of a process costs more, so figures of the two contexts are never
// compared with each other.

import { readdirSync } from 'node:fs'

const FOLDER = new URL('scenarios/', import.meta.url)
const defaults = { rounds: 5, canShorten: true, once: [], shares: {}, required: [] }

const findGroups = () => {
  const found = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return found.map(({ name }) => name).sort()
}

const loadScenario = async (id) => {
  const { default: scenario } = await import(new URL(`${id}.mjs`, FOLDER))
  return { ...defaults, ...scenario, path: id, name: id.split('/')[1] }
}

const loadGroup = (group) => {
  const names = readdirSync(new URL(`${group}/`, FOLDER)).filter((file) => file.endsWith('.mjs'))
  names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return Promise.all(names.map((name) => loadScenario(`${group}/${name.slice(0, -'.mjs'.length)}`)))
}

/** A comparison for each context of each scenario, with the rows that this machine can measure. */
const comparisonsOf = async (scenarios) => {
  const comparisons = scenarios.map(async (scenario) => {
    const { versions = {}, skipped = {} } = (await scenario.peers?.()) ?? {}
    const rows = scenario.rows.filter((row) => skipped[row] === undefined)
    return (scenario.contexts ?? ['plain']).map((context) => {
      const id = context === 'als' ? `${scenario.name}+als` : scenario.name
      return { id, scenario, context, rows, versions, skipped }
    })
  })
  return (await Promise.all(comparisons)).flat()
}

export { comparisonsOf, findGroups, loadGroup, loadScenario }
