// The figures as text for a terminal.

import { cpus } from 'node:os'
import { figureOf } from './stats.mjs'

const rounded = (number, digits) =>
  number?.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }) ?? '-'

/** The first column to the left, the others to the right. */
const layOut = (head, body) => {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((cells) => cells[column].length)))
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))
  return [head, ...body].map((cells) => `  ${cells.map(pad).join('  ').trimEnd()}\n`).join('')
}

const header = (comparisons, { quick }) => {
  const versions = comparisons.flatMap((comparison) => Object.entries(comparison.versions))
  const skipped = comparisons.flatMap((comparison) => Object.entries(comparison.skipped))
  const lines = [
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}`,
    `medians; one process per sample${quick ? '; one round, short loops' : ''}`,
    ...versions.map(([name, version]) => `${name} ${version}`),
    ...skipped.map(([row, why]) => `skipped: ${row}: ${why}`),
  ]
  return `${[...new Set(lines)].join('\n')}\n`
}

const cell = ({ over, digits = 0 }, figure) => {
  if (figure === undefined || over === undefined) return rounded(figure, digits)
  return `${rounded(figure, 2)}x`
}

const CONTEXTS = { als: ', inside an AsyncLocalStorage', plain: ', without AsyncLocalStorage' }

/** A column that no row has a figure for is left out. */
const comparisonTable = ({ id, scenario, context, rows, rounds, samples }) => {
  const figures = scenario.columns
    .map((column) => [column, rows.map((row) => figureOf(column, row, samples))])
    .filter(([{ over }, values]) => over !== undefined || values.some((value) => value !== undefined))
  const head = ['', ...figures.map(([{ title }]) => title)]
  const body = rows.map((row, index) => [row, ...figures.map(([column, values]) => cell(column, values[index]))])
  const kind = scenario.contexts === undefined ? '' : CONTEXTS[context]
  return `\n${id}: ${scenario.title}${kind}; ${rounds} round(s)\n${layOut(head, body)}`
}

const VERDICTS = new Map([
  [true, 'met'],
  [false, 'MISSED'],
  [undefined, 'not measured'],
])

const digitsOf = (value) => (Number.isInteger(value) || value >= 100 ? 0 : value < 1 ? 3 : 2)

const verdictTable = (verdicts) => {
  if (verdicts.length === 0) return ''
  const body = verdicts.map(({ id, claim, required, unit, measured, met }) => [
    claim,
    id,
    required ?? '-',
    measured === undefined ? '-' : `${rounded(measured, digitsOf(measured))}${unit}`,
    required === undefined ? '' : VERDICTS.get(met),
  ])
  return `\nverdicts\n${layOut(['', 'scenario', 'required', 'measured', 'verdict'], body)}`
}

export { comparisonTable, header, verdictTable }
