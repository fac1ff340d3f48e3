// The program of the threads that threads.mjs starts.

import { parentPort, workerData } from 'node:worker_threads'

// A peer's wait alone does not keep a thread alive.
const alive = setInterval(() => {}, 2 ** 30)
const { thread } = await import(`../${workerData.scenario}.mjs`)
parentPort.postMessage(await thread(workerData.data))
clearInterval(alive)
