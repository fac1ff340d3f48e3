// `npm run bench:workers`: measures process scope between threads beside its peers, prints one table a figure and whether
// what is promised held. See --help; each sample comes from a process of its own, and a round takes every row once.

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { medianOf } from '../stats.mjs'
import { layOut, rounded } from '../table.mjs'
import { figures, promises } from './figures/index.mjs'
import { LOCKS, rows } from './mutexes.mjs'

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url))
const TIMEOUT_MS = 600_000

const HELP = `Usage: npm run bench:workers -- [options]

  --only NAME    only this figure; may be repeated: ${figures.map(({ name }) => name).join(', ')}
  --rounds N     how often every row is measured; medians are quoted (default 3)
  --quick        one round, with a tenth of the calls
  --json FILE    also write every sample and the verdicts to FILE
  --check        exit with 1 when a promise is missed
  --help         this text

The row of ${LOCKS} needs Node.js 24.5: run this file with it.
`

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: figures.map(({ name }) => name) },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const takeSample = async ({ name, calls }, row) => {
  const args = ['--expose-gc', CHILD, name, row, String(options.quick ? calls / 10 : calls)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS })
  return JSON.parse(stdout)
}

const measure = async (figure, rounds, failures) => {
  const samples = Object.fromEntries(figure.rows.map((row) => [row, []]))
  for (let round = 0; round < (figure.once ? 1 : rounds); round++) {
    process.stderr.write(`${figure.name}, round ${round + 1}\n`)
    for (const row of figure.rows) {
      // A hole keeps the samples of a round at one index.
      const sample = await takeSample(figure, row).catch(
        (error) => void failures.push(`${figure.name}, ${row}: ${error.stderr || error.message}`),
      )
      samples[row].push(sample)
    }
  }
  return samples
}

const digits = (value) => (value < 100 ? 2 : 0)
const show = (value, unit = '') =>
  value === undefined ? '-' : rounded(value, Number.isInteger(value) ? 0 : digits(value)) + unit

const figureTable = ({ title, rows, columns }, samples) => {
  const body = rows.map((row) => [row, ...columns.map((column) => show(medianOf(samples[row], column)))])
  return `\n${title}\n${layOut(['', ...columns], body)}`
}

const judge = (results) =>
  promises
    .filter(({ figure }) => results[figure] !== undefined)
    .map(({ figure, claim, required, unit, holds, measure }) => {
      const measured = measure(results[figure])
      const known = Number.isFinite(measured)
      return {
        figure,
        claim,
        required,
        unit,
        measured: known ? measured : undefined,
        met: known ? holds(measured) : undefined,
      }
    })

const VERDICTS = new Map([
  [true, 'met'],
  [false, 'MISSED'],
  [undefined, 'not measured'],
])

const promiseTable = (verdicts) => {
  const body = verdicts.map(({ figure, claim, required, unit, measured, met }) => [
    claim,
    figure,
    required,
    show(measured, unit),
    VERDICTS.get(met),
  ])
  return `\npromises\n${layOut(['', 'figure', 'required', 'measured', 'verdict'], body)}`
}

const run = async () => {
  const rounds = Number(options.rounds ?? (options.quick ? 1 : 3))
  const unknown = options.only.find((only) => !figures.some(({ name }) => name === only))
  if (unknown !== undefined)
    throw new Error(`--only takes one of ${figures.map(({ name }) => name).join(', ')}, not '${unknown}'`)
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds takes a whole number from 1 up, not '${options.rounds}'`)

  process.stdout.write(
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}; ${rounds} round(s), medians\n`,
  )
  if (!rows.includes(LOCKS)) process.stdout.write(`${LOCKS} is not measured: it needs Node.js 24.5\n`)
  const failures = []
  const results = {}
  for (const figure of figures.filter(({ name }) => options.only.includes(name))) {
    results[figure.name] = await measure(figure, rounds, failures)
    process.stdout.write(figureTable(figure, results[figure.name]))
  }
  const verdicts = judge(results)
  process.stdout.write(promiseTable(verdicts))
  if (options.json !== undefined) {
    const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length }
    await writeFile(
      options.json,
      `${JSON.stringify({ ...machine, rounds, quick: options.quick, results, promises: verdicts, failures }, null, 2)}\n`,
    )
  }
  for (const failure of failures) process.stderr.write(`${failure}\n`)
  if (failures.length > 0 || (options.check && verdicts.some(({ met }) => met === false))) process.exitCode = 1
}

if (options.help) process.stdout.write(HELP)
else await run()
