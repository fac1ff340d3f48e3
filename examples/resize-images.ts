// A pool of worker threads that resizes images: any worker may take any job, but each image is worked on by one at a time.
//
// Every size of an image ends up in the list of that image, a file that is read, changed and written back. Without the lock
// two workers would overwrite each other's entries. The provider's keys are shared by all threads (`scope: 'process'`), and
// `limitPerKey` makes each worker's pipeline go on with other images while one is busy elsewhere.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker, isMainThread, workerData } from 'node:worker_threads'
import { SynchronizerProvider, toTasks } from 'ya-syn'

type Job = { readonly image: string; readonly width: number }
type Share = { readonly folder: string; readonly jobs: readonly Job[] }

const images = new SynchronizerProvider({ providerId: 'images', scope: 'process' })

/** Gray pixels, line by line. */
type Image = { readonly width: number; readonly pixels: Uint8Array }

function resize({ width, pixels }: Image, to: number): Image {
  const from = (line: number): number => Math.floor((line * width) / to)
  return {
    width: to,
    pixels: Uint8Array.from(
      { length: to * to },
      (_, i) => pixels[from(Math.floor(i / to)) * width + from(i % to)] ?? 0,
    ),
  }
}

async function run({ image, width }: Job, folder: string): Promise<void> {
  const original = { width: 64, pixels: await readFile(join(folder, image)) }
  await writeFile(join(folder, `${image}-${width}`), resize(original, width).pixels)
  const list = join(folder, `${image}.json`)
  const sizes: number[] = JSON.parse(await readFile(list, 'utf8'))
  await writeFile(list, JSON.stringify([...sizes, width]))
}

function work({ folder, jobs }: Share): Promise<void> {
  return images.executeTasks({
    maxTasksInFlight: 8,
    maxTasksInExecution: 4,
    taskSource: toTasks(jobs),
    limitPerKey: { key: (job) => job.image, maxTasksInExecution: 1, synchronizers: images },
    taskExecutor: ({ task: job }) => run(job, folder),
    onTaskError: (e) => console.error(e),
  })
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'resize-'))
  const names = ['cat', 'dog', 'owl']
  for (const name of names) {
    await writeFile(
      join(folder, name),
      Uint8Array.from({ length: 64 * 64 }, (_, i) => i % 251),
    )
    await writeFile(join(folder, `${name}.json`), '[]')
  }
  const jobs = [8, 12, 16, 24, 32, 48].flatMap((width) => names.map((image) => ({ image, width })))

  const pool = [0, 1, 2].map((worker) => {
    const share: Share = { folder, jobs: jobs.filter((_, i) => Math.floor(i / 2) % 3 === worker) }
    return new Worker(process.argv[1] as string, { workerData: share })
  })
  await Promise.all(
    pool.map((worker) => new Promise((resolve, reject) => worker.once('error', reject).once('exit', resolve))),
  )

  for (const name of names) {
    const sizes: number[] = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'))
    console.log(`${name}: ${sizes.sort((a, b) => a - b).join(' ')}`)
  }
  await rm(folder, { recursive: true })
}

void (isMainThread ? main() : work(workerData as Share))
