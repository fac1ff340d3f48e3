// One row in a process of its own: arguments are the scenario, the row and the folder with its files. Prints one sample as JSON.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { scenarios } from './scenarios.mjs'

const [name, row, folder] = process.argv.slice(2)
const { rows, repeat, isCold = false } = scenarios[name]
const files = { folder, paths: readdirSync(folder).map((file) => join(folder, file)) }
const run = rows[row]

if (!isCold) await run(files)
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const times = []
for (let i = 0; i < repeat; i++) {
  const start = performance.now()
  await run(files)
  times.push(performance.now() - start)
}
delay.disable()
times.sort((a, b) => a - b)
console.log(
  JSON.stringify({
    ms: times[times.length >> 1],
    delay: delay.percentile(99) / 1e6,
    rss: process.resourceUsage().maxRSS * 1024,
  }),
)
