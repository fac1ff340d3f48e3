// The table that a demo prints: one row per way, with a bar that shows the ratios at a glance.

const BAR_WIDTH = 24
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/**
 * Lays rows out. `rows` are `{ name, items, ms, requests, peak }`, `item` is what one of the items is called, `request`
 * what took them in, and `baseline` the name of the row that the ratios refer to.
 */
export function table({ rows, item, request, baseline }) {
  const fastest = Math.max(...rows.map(rate))
  const base = rate(rows.find(({ name }) => name === baseline))
  const head = ['way', `${item}s/s`, `ms/${item}`, `${request}s`, 'peak in flight', 'ratio', '']
  const body = rows.map((row) => [
    row.name,
    Math.round(rate(row)).toLocaleString('en'),
    significant(row.ms / row.items),
    row.requests.toLocaleString('en'),
    row.peak.toLocaleString('en'),
    `${significant(rate(row) / base)}x`,
    bar(rate(row) / fastest),
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((cells) => cells[column].length)))
  const isText = (column) => column === 0 || column === head.length - 1
  const line = (cells) =>
    cells
      .map((cell, column) => (isText(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd()
  return [head, ...body].map((cells) => `${line(cells)}\n`).join('')
}

/** Items a second. */
export function rate({ items, ms }) {
  return (items / ms) * 1000
}

/** Three significant digits, without an exponent. */
export function significant(number) {
  return number.toLocaleString('en', { maximumSignificantDigits: 3 })
}

// A share of the full width, to an eighth of a character; never nothing, so that a row without a bar is no row.
function bar(share) {
  const eighths = Math.max(1, Math.round(share * BAR_WIDTH * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
}
