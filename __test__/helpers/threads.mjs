// Worker threads that run pieces of a test. A piece is a function that is sent as text: it sees nothing but its
// arguments, the first of which holds the library's exports and `state`, an object that stays between pieces.
import { Worker } from 'node:worker_threads'
import { settlesWithin, waitUntil } from './async.mjs'

const file = new URL('../fixtures/thread.mjs', import.meta.url)

/** Starts a thread that lasts until the end of the test at most. */
export function startThread(t, options = {}) {
  const worker = new Worker(file, options)
  const calls = new Map()
  let lastCall = 0
  const thread = {
    worker,
    /** What the worker threw, if it broke. */
    failure: undefined,
    exited: new Promise((resolve) => worker.once('exit', resolve)),
    /** Settles as `piece` does over there; never if the thread ends before that. */
    run(piece, ...args) {
      const id = lastCall++
      worker.postMessage({ id, source: piece.toString(), args })
      return settlesWithin(new Promise((resolve, reject) => calls.set(id, { resolve, reject })), 30_000)
    },
    /** As `run`, without an answer: for pieces that the thread does not survive. */
    post(piece, ...args) {
      worker.postMessage({ id: lastCall++, source: piece.toString(), args })
    },
    terminate: () => worker.terminate(),
    /** Lets it run in circles until it is terminated; resolves when it does. */
    async spin() {
      const spinning = new Int32Array(new SharedArrayBuffer(4))
      worker.postMessage({ spinning })
      await waitUntil(() => Atomics.load(spinning, 0) === 1)
    },
  }
  worker.on('message', ({ id, value, error }) => {
    const call = calls.get(id)
    calls.delete(id)
    if (error === undefined) call?.resolve(value)
    else call?.reject(Object.assign(new Error(error.message), error))
  })
  worker.on('error', (error) => {
    thread.failure = error
  })
  thread.exited.then((code) => {
    for (const call of calls.values()) call.reject(thread.failure ?? new Error(`the thread ended with ${code}`))
  })
  t.teardown(() => worker.terminate())
  return thread
}

export const startThreads = (t, count) => Array.from({ length: count }, () => startThread(t))

let lastName = 0
/** A provider id that no other test of this process uses. */
export const newName = () => `test ${lastName++}`
