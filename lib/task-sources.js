'use strict'

// Task sources: any iterator of `{ task }` as executeTasks takes it, and helpers that make one.

const { SynchronizerInvalidError } = require('./errors.js')
const { checkLimit, invalid, show } = require('./validate.js')

/** The iterator behind an async iterable, a sync iterable or an object with only `next()`. */
function toIterator(name, source) {
  const open = source?.[Symbol.asyncIterator] ?? source?.[Symbol.iterator]
  const remedy = 'an (async) iterator or an (async) iterable'
  if (typeof open === 'function' && typeof source !== 'string') {
    const iterator = open.call(source)
    if ((typeof iterator !== 'object' && typeof iterator !== 'function') || iterator === null) throw invalid(`The iterator of ${name}`, iterator, remedy)
    return iterator
  }
  if (typeof source?.next === 'function') return source
  throw invalid(name, source, remedy)
}

/** An iterable for `for await`, of anything that `toIterator` takes. */
function toIterable(name, source) {
  const iterator = toIterator(name, source)
  return { [Symbol.asyncIterator]: () => iterator }
}

/** Throws at what `next()` of a source gave instead of a result. */
function checkResult(result) {
  if (typeof result !== 'object' || result === null) throw invalid('What next() of a source gives', result, 'an object { done, value }')
}

/** Throws at what a source gave instead of a task. */
function checkTask(item) {
  if (typeof item === 'object' && item !== null && 'task' in item) return
  throw new SynchronizerInvalidError(
    `taskSource must give objects like { task }, but gave ${show(item)}; wrap plain values with toTasks()`,
  )
}

function toTasks(iterable) {
  return wrap(toIterable('iterable', iterable))
}

async function* wrap(values) {
  for await (const task of values) yield { task }
}

function rebatchTasks(source, size) {
  checkLimit('size', size)
  return rebatch(toIterable('source', source), size)
}

async function* rebatch(source, size) {
  let batch = []
  for await (const item of source) {
    checkTask(item)
    const { task } = item
    if (!Array.isArray(task)) throw invalid('A task to be re-cut', task, 'an array')
    for (const element of task) {
      if (batch.push(element) < size) continue
      yield { task: batch }
      batch = []
    }
  }
  if (batch.length > 0) yield { task: batch }
}

module.exports = { checkResult, checkTask, rebatchTasks, toIterator, toTasks }
