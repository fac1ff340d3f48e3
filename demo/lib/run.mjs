// The course of a demo: read the options, try each way, check what it did, print the table and what it tells.
import { helpText, parseOptions } from './options.mjs'
import { startProgress } from './progress.mjs'
import { rate, table } from './table.mjs'

/**
 * Runs a demo.
 *
 * - `command`, `about`, `spec`: for the command line, see options.mjs.
 * - `open(options)`: prepares, and resolves to `{ title, item, request, baseline, ways, checked, notes, close }`: the
 *   line above the table, the names that the table needs, the ways, how they were checked, `notes(rateOf)` for the text
 *   below the table, and `close()` where something open would keep the process from ending.
 * - A way is `{ name, items, rounds, prepare, run, check }`: before each round `prepare()`, then, timed, `run(add)`, where
 *   `add(n)` counts progress; `check(result)` resolves to `{ requests, peak, problem }`, where `problem` says what the way
 *   got wrong, if anything. The median round is shown.
 */
export async function runDemo({ command, about, spec, open }) {
  let options
  try {
    options = parseOptions(process.argv.slice(2), spec)
  } catch (error) {
    if (error.code !== 'BAD_OPTION') throw error
    process.stderr.write(`${error.message}; see ${command} -- --help\n`)
    process.exitCode = 2
    return
  }
  if (options === undefined) {
    process.stdout.write(helpText({ command, about, spec }))
    return
  }

  // An exit, unlike the signal, runs what the demo registered to clean up.
  process.once('SIGINT', () => process.exit(130))
  const demo = await open(options)
  try {
    const rows = []
    for (const way of demo.ways) rows.push(await tryWay(way, demo.item))
    process.stdout.write(`${demo.title}\n\n${table({ ...demo, rows })}\n`)
    process.stdout.write(`${verdict(rows, demo.checked)}\n`)
    const rates = new Map(rows.map((row) => [row.name, rate(row)]))
    for (const note of demo.notes((name) => rates.get(name))) process.stdout.write(`- ${note}\n`)
  } finally {
    await demo.close?.()
  }
}

async function tryWay({ name, items, rounds = 1, prepare = async () => {}, run, check }, item) {
  const progress = startProgress({ name, total: items * rounds, item })
  try {
    const results = []
    for (let round = 0; round < rounds; round++) {
      await prepare()
      const start = performance.now()
      const result = await run(progress.add)
      const ms = performance.now() - start
      results.push({ name, items, ms, ...(await check(result)) })
    }
    const problem = results.find(({ problem }) => problem !== undefined)?.problem
    results.sort((one, other) => one.ms - other.ms)
    return { ...results[results.length >> 1], problem }
  } finally {
    progress.end()
  }
}

function verdict(rows, checked) {
  const wrong = rows.filter(({ problem }) => problem !== undefined)
  if (wrong.length === 0) return `Checked: ${checked}`
  process.exitCode = 1
  return wrong.map(({ name, problem }) => `WRONG: ${name}: ${problem}`).join('\n')
}
