// The figures as data, for `--json`: everything that the tables show, and every sample behind it.

import { readFile } from 'node:fs/promises'
import { arch, cpus, platform } from 'node:os'
import { PRODUCT } from './product.mjs'
import { figureOf } from './stats.mjs'

/** The version of the package that a row is named after; undefined for any other row. */
const versionOf = async (row) => {
  const folder = row === PRODUCT ? '../' : `../node_modules/${row}/`
  const text = await readFile(new URL(`${folder}package.json`, import.meta.url), 'utf8').catch(() => '{}')
  return JSON.parse(text).version
}

const toComparison = ({ id, scenario, context, rows, rounds, skipped, samples, failures }) => ({
  id,
  title: scenario.title,
  insideAsyncLocalStorage: context === 'als',
  rounds,
  rows: rows.map((name) => ({
    name,
    figures: Object.fromEntries(scenario.columns.map((column) => [column.title, figureOf(column, name, samples)])),
    samples: samples[name],
  })),
  skipped,
  failures,
})

const toReport = async (group, results, verdicts, options) => {
  const names = [...new Set([PRODUCT, ...results.flatMap(({ rows }) => rows)])]
  const packages = await Promise.all(names.map(async (name) => [name, await versionOf(name)]))
  return {
    group,
    node: process.version,
    platform: `${platform()}-${arch()}`,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    options,
    versions: Object.assign(Object.fromEntries(packages), ...results.map(({ versions }) => versions)),
    comparisons: results.map(toComparison),
    verdicts,
  }
}

export { toReport }
