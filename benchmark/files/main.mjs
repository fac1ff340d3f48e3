// `npm run bench:files`: reads files in the ways that are in use, and maps in the ways of mapAll, one process for each figure, the rows of a
// scenario one after the other and that several times. Ratios are taken round by round. Options: `--rounds N`,
// `--only NAME` (of a scenario), `--json FILE`, `--check` (fail when a requirement is missed).

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { medianOf, medianRatio } from '../stats.mjs'
import { scenarios } from './scenarios.mjs'

const OTHERS = 'the fastest other'
const child = fileURLToPath(new URL('child.mjs', import.meta.url))
const execute = promisify(execFile)

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    only: { type: 'string' },
    json: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
})
const names = Object.keys(scenarios)
const rounds = Number(options.rounds)
if (!Number.isInteger(rounds) || rounds < 1) fail(`--rounds must be an integer of at least 1, but is ${options.rounds}`)
else if (options.only !== undefined && !names.includes(options.only))
  fail(`--only must be one of ${names.join(', ')}, but is ${options.only}`)
else await main(options.only === undefined ? names : [options.only])

async function main(chosen) {
  console.log(
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}; ${rounds} round(s), medians`,
  )
  const results = []
  for (const name of chosen) {
    const samples = await measure(name)
    const verdicts = scenarios[name].required.map((requirement) => judge(requirement, samples))
    print(scenarios[name].title, samples, verdicts)
    results.push({ name, title: scenarios[name].title, samples, verdicts })
  }
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ node: process.version, rounds, results }, null, 2)}\n`)
  const missed = results.flatMap(({ verdicts }) => verdicts).filter(({ met }) => !met)
  if (options.check && missed.length > 0) fail(`${missed.length} requirement(s) missed`)
}

/** Samples by row. */
async function measure(name) {
  const { files, rows } = scenarios[name]
  const folder = mkdtempSync(join(tmpdir(), 'ya-syn-bench-'))
  try {
    for (let i = 0; i < files.count; i++)
      writeFileSync(join(folder, `${i}`.padStart(6, '0')), Buffer.alloc(files.size, `${i} `))
    const samples = Object.fromEntries(Object.keys(rows).map((row) => [row, []]))
    for (let round = 0; round < rounds; round++) {
      for (const row of Object.keys(rows)) {
        const { stdout } = await execute(process.execPath, [child, name, row, folder])
        samples[row].push(JSON.parse(stdout))
      }
    }
    return samples
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function judge({ row, over, atLeast, field = 'ms', atMost }, samples) {
  if (atMost !== undefined) {
    const measured = medianOf(samples[row], field)
    return { claim: `${row}: event-loop delay p99 < ${atMost} ms`, measured, met: measured < atMost }
  }
  const others = Object.keys(samples).filter((name) => name !== over)
  const compared =
    row === OTHERS
      ? others.reduce((best, name) => (medianOf(samples[name], field) < medianOf(samples[best], field) ? name : best))
      : row
  const measured = medianRatio(samples[compared], samples[over], field)
  return { claim: `${over}: >= ${atLeast}x as fast as ${compared}`, measured, met: measured >= atLeast }
}

function print(title, samples, verdicts) {
  const width = Math.max(...Object.keys(samples).map((row) => row.length))
  console.log(`\n${title}\n${''.padEnd(width)}        ms  p99 delay ms   max RSS MB`)
  for (const [row, figures] of Object.entries(samples)) {
    const [ms, delay, rss] = ['ms', 'delay', 'rss'].map((field) => medianOf(figures, field))
    console.log(
      `${row.padEnd(width)}${ms.toFixed(1).padStart(10)}${delay.toFixed(1).padStart(14)}${(rss / 1e6).toFixed(0).padStart(13)}`,
    )
  }
  for (const { claim, measured, met } of verdicts)
    console.log(`${met ? 'met   ' : 'MISSED'}  ${claim}: ${measured.toFixed(2)}`)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
