// Sources of tasks and values that record how they are used.
import { outcome, deferred } from './async.mjs'

/** A hand-written async iterator over `next`, that counts the calls of its methods and checks that they do not overlap. */
export function recordedSource(next, onReturn = async () => ({ done: true, value: undefined })) {
  const source = {
    nextCalls: 0,
    returnCalls: 0,
    outstanding: 0,
    peakOutstanding: 0,
    async next() {
      source.nextCalls++
      source.peakOutstanding = Math.max(source.peakOutstanding, ++source.outstanding)
      try {
        return await next(source.nextCalls)
      } finally {
        source.outstanding--
      }
    },
    async return() {
      source.returnCalls++
      return onReturn()
    },
    async throw(error) {
      throw error
    },
    [Symbol.asyncIterator]() {
      return source
    },
  }
  return source
}

/** Numbers from 0 up to `count`, one each `next()`. */
export const counted = (count, wrap = (value) => value, onReturn = undefined) =>
  recordedSource(
    async (call) => (call <= count ? { done: false, value: wrap(call - 1) } : { done: true, value: undefined }),
    onReturn,
  )

/** The same as tasks. */
export const countedTasks = (count, onReturn = undefined) => counted(count, (task) => ({ task }), onReturn)

/** Gives `values`, then stays silent for ever. */
export const silentAfter = (values = [], onReturn = undefined) =>
  recordedSource(
    (call) => (call <= values.length ? { done: false, value: values[call - 1] } : deferred().promise),
    onReturn,
  )

/** Gives `values`, then fails with `reason`. */
export const failingAfter = (values, reason) =>
  recordedSource(async (call) => {
    if (call > values.length) throw reason
    return { done: false, value: values[call - 1] }
  })

export const tasks = (count) => Array.from({ length: count }, (_, task) => ({ task }))

/** All values of an iterable, and how it ended, as `outcome` tells it. */
export async function collect(iterable) {
  const values = []
  const end = await outcome(async () => {
    for await (const value of iterable) values.push(value)
  })
  return { values, ...end }
}
