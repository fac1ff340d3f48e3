// Runs the function `thread` of a scenario in worker threads.

import { Worker } from 'node:worker_threads'

const PROGRAM = new URL('thread.mjs', import.meta.url)

/** `result` is what `thread(data)` of the module `<scenario>.mjs` returns over there; `worker` is for whoever ends it early. */
const startThread = (scenario, data, options) => {
  const worker = new Worker(PROGRAM, { ...options, workerData: { scenario, data } })
  const result = new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`a thread ended with ${code}`)))
  })
  return { worker, result }
}

const runThreads = (scenario, count, data) =>
  Promise.all(Array.from({ length: count }, (_, id) => startThread(scenario, { ...data, id }).result))

export { runThreads, startThread }
