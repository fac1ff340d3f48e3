// Small tools to steer asynchronous code by events instead of by sleeping.

/** A promise with its two ends in hand. */
export function deferred() {
  let resolve, reject
  const promise = new Promise((res, rej) => {
    resolve = res
    reject = rej
  })
  return { promise, resolve, reject }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** One turn of the event loop: all microtasks and the immediates before this one have run. */
export const turn = () => new Promise((resolve) => setImmediate(resolve))

export async function turns(count) {
  for (let i = 0; i < count; i++) await turn()
}

/** Lets `count` rounds of microtasks run, for tests that act at each possible moment. */
export async function microtasks(count) {
  for (let i = 0; i < count; i++) await null
}

/** Polls until `predicate` holds. The bound is only there to turn a hang into a failure. */
export async function waitUntil(predicate, { timeout = 8000, what = predicate.toString() } = {}) {
  const deadline = performance.now() + timeout
  while (!(await predicate())) {
    if (performance.now() > deadline) throw new Error(`still not true after ${timeout} ms: ${what}`)
    await sleep(1)
  }
}

/**
 * How `fn` ended, in the shape of `Promise.allSettled`, whether it threw at once or rejected later.
 * Unlike ava's `throwsAsync` it also takes reasons that are no errors (`undefined`, `0`, ...).
 */
export async function outcome(fn) {
  try {
    return { status: 'fulfilled', value: await fn() }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}

const pending = Symbol('pending')

/** Whether the promise is still pending after a turn of the event loop. */
export async function isPending(promise) {
  const winner = promise.then(
    () => undefined,
    () => undefined,
  )
  return (await Promise.race([winner, turn().then(() => pending)])) === pending
}

/** Fails instead of hanging when the promise does not settle. */
export async function settlesWithin(promise, ms = 8000) {
  let timer
  const bound = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not settle within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, bound])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Checks what `run` resolves with, for promises with a bound of 100 ms. A busy machine may stall the process for longer,
 * so that nobody can keep to it; such a round tells nothing and is repeated.
 */
export async function unstalled(run, check) {
  for (;;) {
    let longest = 0
    let last = performance.now()
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 1)
    const result = await run()
    clearInterval(watch)
    if (Math.max(longest, performance.now() - last) < 40) return check(result)
  }
}

/**
 * Whether the promise settles before a timer of `ms` that starts now. Unlike a stopwatch it forgives a machine that
 * stalls the process: what was due before is served before.
 */
export async function settlesBefore(promise, ms) {
  let timer
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const early = Promise.allSettled([promise]).then(() => true)
  try {
    return await Promise.race([early, late])
  } finally {
    clearTimeout(timer)
  }
}
