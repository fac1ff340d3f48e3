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

/** A row that skips work must not look fast. */
const expectCalls = (calls, expected) => {
  if (calls !== expected) throw new Error(`${calls} callbacks ran where ${expected} should have`)
}

/**
 * Nanoseconds for each call of the executor in `loop(calls)`, after a tenth of the calls to warm up. The loop comes from
 * `makeLoop(executor)`; an executor runs `task`.
 */
const timeLoop = async (calls, makeLoop, task) => {
  let done = 0
  const counting = async () => void done++
  const executor = () => {
    done++
    return task()
  }
  const loop = await makeLoop(task === undefined ? counting : executor)
  await loop(calls / 10)
  const ns = await nanosecondsPer(calls, () => loop(calls))
  expectCalls(done, calls + calls / 10)
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

export { expectCalls, nanosecondsPer, peakResidentBytes, residentBytes, timeLoop, withDelay }
