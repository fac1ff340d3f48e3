// Time and memory of one piece of work, as every scenario takes them.

import { readFileSync } from 'node:fs'

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
 * when the clock starts.
 */
const nanosecondsPer = async (count, work) => {
  globalThis.gc()
  const waitedBefore = nanosecondsKeptWaiting()
  const start = process.hrtime.bigint()
  await work()
  const elapsed = process.hrtime.bigint() - start
  return Number(elapsed - (nanosecondsKeptWaiting() - waitedBefore)) / count
}

const residentBytes = () => process.memoryUsage.rss()

/** The most that was ever resident in this process. */
const peakResidentBytes = () => process.resourceUsage().maxRSS * 1024

/** A row that skips work must not look fast. */
const expectCalls = (calls, expected) => {
  if (calls !== expected) throw new Error(`${calls} callbacks ran where ${expected} should have`)
}

export { expectCalls, nanosecondsPer, peakResidentBytes, residentBytes }
