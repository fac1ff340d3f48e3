// The figures as text for a terminal.

import { cpus } from 'node:os'
import { BARE_LOOP } from './bare-loop.mjs'
import { PRODUCT } from './peers.mjs'
import { medianOf, medianRatio } from './stats.mjs'

const rounded = (number, digits = 0) =>
  number === undefined
    ? '-'
    : number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

const ratio = (number) => (number === undefined ? '-' : `${rounded(number, 2)}x`)

/** The first column to the left, the others to the right. */
const layOut = (head, body) => {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((cells) => cells[column].length)))
  const line = (cells) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join('  ')
  return [line(head), ...body.map(line)].map((text) => `  ${text}\n`).join('')
}

const header = ({ rounds, quick }) =>
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}\n` +
  `${rounds} round(s)${quick ? ', short loops' : ''}; medians; one process per figure\n`

const OPTIONAL_COLUMNS = [
  ['bytes', (unit) => `bytes/${unit}`],
  ['entries', () => 'entries left'],
]

const comparisonTable = ({ id, scenario, context, samples }) => {
  const { title, unit, rows } = scenario
  const optional = OPTIONAL_COLUMNS.filter(([field]) => rows.some((row) => medianOf(samples[row], field) !== undefined))
  const head = ['', `ns/${unit}`, `x ${BARE_LOOP}`, `x ${PRODUCT}`, ...optional.map(([, heading]) => heading(unit))]
  const body = rows.map((row) => [
    row,
    rounded(medianOf(samples[row], 'ns')),
    ratio(medianRatio(samples[row], samples[BARE_LOOP], 'ns')),
    ratio(medianRatio(samples[row], samples[PRODUCT], 'ns')),
    ...optional.map(([field]) => rounded(medianOf(samples[row], field))),
  ])
  const kind = context === 'als' ? 'inside an AsyncLocalStorage' : 'without AsyncLocalStorage'
  return `\n${id}: ${title}, ${kind}\n${layOut(head, body)}`
}

const VERDICTS = new Map([
  [true, 'met'],
  [false, 'MISSED'],
  [undefined, 'not measured'],
])

const budgetTable = (verdicts) => {
  const head = ['', 'comparison', 'required', 'measured', 'verdict']
  const body = verdicts.map(({ comparison, claim, required, unit, measured, met }) => [
    claim,
    comparison,
    required,
    measured === undefined ? '-' : `${rounded(measured, unit === 'x' ? 2 : 0)}${unit}`,
    VERDICTS.get(met),
  ])
  return `\nbudget\n${layOut(head, body)}`
}

export { budgetTable, comparisonTable, header, layOut, rounded }
