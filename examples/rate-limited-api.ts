// A service that takes only so many calls in a while, called by several worker threads: together they keep to its limit.
//
// A call needs one of `CALLS` permits, which all threads share (`scope: 'process'`), and gives it back `PER_MS` after it has
// ended. So no more than `CALLS` calls start within `PER_MS`, from whatever thread, and who asked first is served first.
import { Worker, isMainThread, workerData } from 'node:worker_threads'
import { SynchronizerProvider } from 'ya-syn'

const CALLS = 4
const PER_MS = 50
const WORKERS = 3
const CALLS_PER_WORKER = 8

const services = new SynchronizerProvider({ providerId: 'services', scope: 'process' })

async function limited<T>(call: () => Promise<T>): Promise<T> {
  const guard = await services.forKey('api.example.com', CALLS).acquire()
  try {
    return await call()
  } finally {
    setTimeout(() => guard.release(), PER_MS)
  }
}

/** The service: it notes when it was called. The first number is how many calls there were. */
class Service {
  readonly #calls: BigInt64Array

  constructor(buffer: SharedArrayBuffer) {
    this.#calls = new BigInt64Array(buffer)
  }

  async call(): Promise<void> {
    const call = Atomics.add(this.#calls, 0, 1n)
    Atomics.store(this.#calls, 1 + Number(call), process.hrtime.bigint())
  }

  /** The most calls within any `PER_MS`. A timer may be early by the fraction of a millisecond that it was set late. */
  busiest(): number {
    const times = [...this.#calls.subarray(1)].sort((a, b) => (a < b ? -1 : 1))
    const until = (time: bigint): bigint => time + BigInt((PER_MS - 2) * 1e6)
    return Math.max(...times.map((time) => times.filter((other) => other >= time && other < until(time)).length))
  }
}

async function work(buffer: SharedArrayBuffer): Promise<void> {
  const service = new Service(buffer)
  await Promise.all(Array.from({ length: CALLS_PER_WORKER }, () => limited(() => service.call())))
}

async function main(): Promise<void> {
  const total = WORKERS * CALLS_PER_WORKER
  const buffer = new SharedArrayBuffer(8 * (1 + total))
  const workers = Array.from({ length: WORKERS }, () => new Worker(process.argv[1] as string, { workerData: buffer }))
  await Promise.all(
    workers.map((worker) => new Promise((resolve, reject) => worker.once('error', reject).once('exit', resolve))),
  )
  console.log(`calls: ${new BigInt64Array(buffer)[0]}`)
  console.log(`within the limit: ${new Service(buffer).busiest() <= CALLS}`)
}

void (isMainThread ? main() : work(workerData as SharedArrayBuffer))
