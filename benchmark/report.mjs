// The figures as data, for `--json`: everything that the table shows, and every sample behind it.

import { readFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { BARE_LOOP } from './bare-loop.mjs'
import { PRODUCT } from './peers.mjs'
import { medianOf, medianRatio } from './stats.mjs'

const versionOf = async (name) => {
  const folder = name === PRODUCT ? '../' : `../node_modules/${name}/`
  return JSON.parse(await readFile(new URL(`${folder}package.json`, import.meta.url))).version
}

const toComparison = ({ id, scenario, context, samples, failures }) => ({
  id,
  title: scenario.title,
  insideAsyncLocalStorage: context === 'als',
  unit: scenario.unit,
  rows: scenario.rows.map((name) => ({
    name,
    nanoseconds: medianOf(samples[name], 'ns'),
    timesBareLoop: medianRatio(samples[name], samples[BARE_LOOP], 'ns'),
    timesProduct: medianRatio(samples[name], samples[PRODUCT], 'ns'),
    bytes: medianOf(samples[name], 'bytes'),
    entries: medianOf(samples[name], 'entries'),
    samples: samples[name],
  })),
  failures,
})

const toReport = async (results, verdicts, { rounds, quick }) => {
  const names = [...new Set(results.flatMap(({ scenario }) => scenario.rows))].filter((name) => name !== BARE_LOOP)
  return {
    node: process.version,
    platform: `${platform()}-${arch()}`,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    rounds,
    quick,
    versions: Object.fromEntries(await Promise.all(names.map(async (name) => [name, await versionOf(name)]))),
    comparisons: results.map(toComparison),
    budget: verdicts,
  }
}

export { toReport }
