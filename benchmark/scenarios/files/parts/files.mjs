// Scenarios on files: a folder with the files that a scenario wants, and how a row is timed.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { peakResidentBytes, withDelay } from '../../../measure.mjs'
import { median } from '../../../stats.mjs'

const columns = [
  { field: 'ms', title: 'ms', digits: 1 },
  { field: 'delay', title: 'p99 delay ms', digits: 1 },
  { field: 'rss', title: 'max RSS MB', scale: 1e-6 },
]

const setupOf =
  ({ count, size }) =>
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ya-syn-bench-'))
    for (let i = 0; i < count; i++) writeFileSync(join(folder, `${i}`.padStart(6, '0')), Buffer.alloc(size, `${i} `))
    return { folder }
  }

const teardown = async ({ folder }) => rmSync(folder, { recursive: true, force: true })

const measureOf =
  (rows, isCold) =>
  async (row, calls, { folder }) => {
    const files = { folder, paths: readdirSync(folder).map((file) => join(folder, file)) }
    const run = rows[row]
    if (!isCold) await run(files)
    const times = []
    const { delay } = await withDelay(async () => {
      for (let i = 0; i < calls; i++) {
        const start = performance.now()
        await run(files)
        times.push(performance.now() - start)
      }
    })
    return { ms: median(times), delay, rss: peakResidentBytes() }
  }

/**
 * A scenario of `rows`, functions by name, on `files` (`{ count, size }`), without its title. Each runs `calls` times in a
 * process, after one run to warm up unless it `isCold`.
 */
const onFiles = ({ files, rows, calls, isCold = false }) => ({
  rows: Object.keys(rows),
  columns,
  rounds: 9,
  calls,
  setup: setupOf(files),
  teardown,
  measure: measureOf(rows, isCold),
})

export { onFiles }
