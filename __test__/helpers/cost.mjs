// What something costs in processor time of this process, which a busy machine does not lengthen as it does the time of day.

/** Milliseconds of processor time that `fn` takes. Use in serial tests. */
export async function costOf(fn) {
  const before = process.cpuUsage()
  await fn()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The least of several tries, which other work and collections disturb least. */
export async function leastCostOf(tries, fn) {
  let least = Infinity
  for (let i = 0; i < tries; i++) least = Math.min(least, await costOf(fn))
  return least
}
