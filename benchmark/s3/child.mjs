// One way in a process of its own; the argument is JSON: the way, the store and the target. Prints one sample as JSON.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { ways } from './ways.mjs'

const { way, store, target } = JSON.parse(process.argv[2])
const { open, run, close } = ways[way]

const client = open(store)
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const cpu = process.cpuUsage()
const start = performance.now()
const counts = await run(client, target)
const seconds = (performance.now() - start) / 1000
const { user, system } = process.cpuUsage(cpu)
delay.disable()
await close(client)

process.stdout.write(
  `${JSON.stringify({
    seconds,
    cpuSeconds: (user + system) / 1e6,
    rss: process.resourceUsage().maxRSS * 1024,
    delayMs: delay.percentile(99) / 1e6,
    counts,
  })}\n`,
)
