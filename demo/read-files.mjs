// `npm run demo:files`: reads many small JSON files in each way that is in use, and compares them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SynchronizerProvider, toTasks } from 'ya-syn-native'
import { readFiles } from 'ya-syn-native/fs'
import { runDemo } from './lib/run.mjs'
import { significant } from './lib/table.mjs'

const IN_EXECUTION = 50
// A round takes a fraction of a second; the median of several says more than one.
const ROUNDS = 5

const IN_SEQUENCE = 'await in a loop'
const ALL_AT_ONCE = 'Promise.all'
const PIPELINE = `executeTasks, ${IN_EXECUTION} in execution`
const MAP_ALL = `mapAll, ${IN_EXECUTION} in execution`
const NATIVE = 'native readFiles'

await runDemo({
  command: 'npm run demo:files',
  about: 'Reads small JSON files in several ways and compares them.',
  spec: { files: { value: 2000, min: 1, unit: 'N', about: 'how many files to read' } },
  open,
})

async function open({ files }) {
  // Written synchronously, so that an interruption leaves no write under way when the folder is removed.
  const folder = mkdtempSync(join(tmpdir(), 'ya-syn-demo-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const paths = Array.from({ length: files }, (_, index) => join(folder, `${index}.json`))
  paths.forEach((path, index) => writeFileSync(path, JSON.stringify({ value: index })))
  const expected = (files * (files - 1)) / 2

  const way = (name, run) => ({
    name,
    items: files,
    rounds: ROUNDS,
    async run(add) {
      const reader = countingReader(add)
      await run(paths, reader.read, reader)
      return reader
    },
    async check({ reads, peak, sum }) {
      const problem = sum === expected ? undefined : `the sum of the numbers read is ${sum}, not ${expected}`
      return { requests: reads, peak, problem }
    },
  })
  const ways = [
    way(IN_SEQUENCE, inSequence),
    way(ALL_AT_ONCE, allAtOnce),
    way(PIPELINE, pipeline),
    way(MAP_ALL, mapAll),
    way(NATIVE, native),
  ]
  // Once uncounted, so that the first way is not the one that fills the caches.
  await ways[0].run(() => {})
  return {
    title: `${files.toLocaleString('en')} JSON files in ${folder}; the median of ${ROUNDS} rounds`,
    item: 'file',
    request: 'read',
    baseline: IN_SEQUENCE,
    ways,
    checked: 'after each way the sum of the numbers read was right.',
    notes,
  }
}

// The ways.

async function inSequence(paths, read) {
  for (const path of paths) await read(path)
}

async function allAtOnce(paths, read) {
  await Promise.all(paths.map(read))
}

async function pipeline(paths, read) {
  const errors = []
  await new SynchronizerProvider().executeTasks({
    maxTasksInFlight: 2 * IN_EXECUTION,
    maxTasksInExecution: IN_EXECUTION,
    taskSource: toTasks(paths),
    taskExecutor: ({ task: path }) => read(path),
    onTaskError: (error) => errors.push(error),
  })
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} reads failed: ${errors[0].message}`)
}

async function mapAll(paths, read) {
  await new SynchronizerProvider().mapAll(paths, read, { maxTasksInExecution: IN_EXECUTION })
}

async function native(paths, _read, reader) {
  for await (const { data } of readFiles(paths, { encoding: 'utf8' })) reader.take(data)
}

// What they share.

function countingReader(add) {
  let running = 0
  const reader = {
    reads: 0,
    peak: 0,
    sum: 0,
    async read(path) {
      reader.reads++
      running++
      reader.peak = Math.max(reader.peak, running)
      const text = await readFile(path, 'utf8')
      running--
      reader.sum += JSON.parse(text).value
      add(1)
    },
    /** What was read without this reader. */
    take(text) {
      reader.reads++
      reader.sum += JSON.parse(text).value
      add(1)
    },
  }
  return reader
}

function notes(rateOf) {
  const gain = (name) => `${significant(rateOf(name) / rateOf(IN_SEQUENCE))}x`
  return [
    `${gain(ALL_AT_ONCE)} for Promise.all and ${gain(PIPELINE)} for executeTasks come from reading with all of Node's four ` +
      'I/O threads instead of one.',
    `Promise.all starts every read at once: with enough files it runs out of file descriptors. executeTasks has at most ` +
      `${IN_EXECUTION} open, however many files there are. So has mapAll, which gives the results as an array.`,
    `${gain(NATIVE)} for readFiles comes from reading in Rust, on threads of its own, and from handing files over by the hundred: there ` +
      'is no promise for each, and none is in flight in JavaScript. How many are open is bounded for the whole process.',
  ]
}
