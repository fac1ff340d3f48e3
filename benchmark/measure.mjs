// Time and memory of one piece of work, as every scenario takes them.

/** Nanoseconds that each of `count` equal parts of `work` took. The heap is clean when the clock starts. */
const nanosecondsPer = async (count, work) => {
  globalThis.gc()
  const start = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - start) / count
}

const residentBytes = () => process.memoryUsage.rss()

/** The most that was ever resident in this process. */
const peakResidentBytes = () => process.resourceUsage().maxRSS * 1024

/** A row that skips work must not look fast. */
const expectCalls = (calls, expected) => {
  if (calls !== expected) throw new Error(`${calls} callbacks ran where ${expected} should have`)
}

export { expectCalls, nanosecondsPer, peakResidentBytes, residentBytes }
