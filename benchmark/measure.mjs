// Time and memory of one piece of work, as every scenario takes them.

import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Nanoseconds for which this thread was ready to run while other processes had the cores; known on Linux only. */
const nanosecondsKeptWaiting = () => {
  try {
    return BigInt(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1])
  } catch {
    return 0n
  }
}

/**
 * Nanoseconds that each of `count` equal parts of `work` took, less what other processes took. The heap is clean
 * when the clock starts. Undefined where the system tells of more waiting than there was time.
 */
const nanosecondsPer = async (count, work) => {
  globalThis.gc()
  const waitedBefore = nanosecondsKeptWaiting()
  const start = process.hrtime.bigint()
  await work()
  const elapsed = process.hrtime.bigint() - start
  const worked = elapsed - (nanosecondsKeptWaiting() - waitedBefore)
  return worked > 0n ? Number(worked) / count : undefined
}

const residentBytes = () => process.memoryUsage.rss()

/** The most that was ever resident in this process. */
const peakResidentBytes = () => process.resourceUsage().maxRSS * 1024

/**
 * Nanoseconds for each call of the executor in `loop(calls)`, after `loop(warmUp)`. The loop comes from
 * `makeLoop(executor)`; an executor counts its calls and runs `task`.
 */
const timeLoop = async (calls, makeLoop, { task, warmUp = calls / 10 } = {}) => {
  let done = 0
  const counting = async () => void done++
  const executor = () => {
    done++
    return task()
  }
  const loop = await makeLoop(task === undefined ? counting : executor)
  await loop(warmUp)
  const ns = await nanosecondsPer(calls, () => loop(calls))
  // A row that skips work must not look fast.
  if (done !== warmUp + calls) throw new Error(`${done} callbacks ran where ${warmUp + calls} should have`)
  return { ns }
}

/** What `work` gives, with the 99th percentile of the event loop's delay meanwhile, in milliseconds. */
const withDelay = async (work) => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const result = await work()
  delay.disable()
  return { ...result, delay: delay.percentile(99) / 1e6 }
}

export { nanosecondsPer, peakResidentBytes, residentBytes, timeLoop, withDelay }
