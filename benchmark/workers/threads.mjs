// Runs the function `thread` of a figure in worker threads.

import { Worker } from 'node:worker_threads'

const PROGRAM = new URL('thread.mjs', import.meta.url)

/** Resolves with what `thread(data)` of `figures/<figure>.mjs` returns over there; `worker` is for whoever wants to end it. */
const startThread = (figure, data, options) => {
  const worker = new Worker(PROGRAM, { ...options, workerData: { figure, data } })
  const result = new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`a thread ended with ${code}`)))
  })
  return { worker, result }
}

const runThreads = (figure, count, data) =>
  Promise.all(Array.from({ length: count }, (_, id) => startThread(figure, { ...data, id }).result))

export { runThreads, startThread }
