// readFiles and readFilesToArray: results, order, errors, options, sources, closing.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { SynchronizerInvalidError } from '../../index.mjs'
import { readFiles, readFilesToArray } from '../../fs.mjs'
import { deferred, isPending, outcome, settlesWithin, turns } from '../helpers/async.mjs'
import { collect, recordedSource } from '../helpers/sources.mjs'

const dir = mkdtempSync(join(tmpdir(), 'ya-syn-files-'))
test.after.always(() => rmSync(dir, { recursive: true, force: true }))

const at = (name) => join(dir, name)
function file(name, data) {
  writeFileSync(at(name), data)
  return at(name)
}
const many = Array.from({ length: 3000 }, (_, i) => file(`many-${i}`, `text of file ${i} `.repeat(i % 7)))

const one = async (path, options) => (await readFilesToArray([path], options))[0]

test('import and require give one object each', (t) => {
  const required = createRequire(import.meta.url)('../../fs.js')
  t.is(required.readFiles, readFiles)
  t.is(required.readFilesToArray, readFilesToArray)
})

test('readFilesToArray gives each file at its place', async (t) => {
  const files = await readFilesToArray(many, { encoding: 'utf8' })
  t.deepEqual(
    files,
    many.map((path) => ({ path, data: readFileSync(path, 'utf8') })),
  )
})

test('readFiles gives the files in the order of the paths', async (t) => {
  const { values } = await collect(readFiles(many))
  t.deepEqual(
    values.map(({ path }) => path),
    many,
  )
  t.true(values.every(({ path, data }) => Buffer.isBuffer(data) && data.equals(readFileSync(path))))
})

test('ordered: false gives each file once', async (t) => {
  const { values } = await collect(readFiles(many, { ordered: false, encoding: 'utf8' }))
  t.deepEqual(values.map(({ path }) => path).sort(), [...many].sort())
  t.true(values.every(({ path, data }) => data === readFileSync(path, 'utf8')))
})

test('no paths, no results', async (t) => {
  t.deepEqual(await readFilesToArray([]), [])
  t.deepEqual((await collect(readFiles(new Set()))).values, [])
})

test('paths may come from any iterable, a slow one too', async (t) => {
  async function* slow() {
    for (const path of many.slice(0, 3)) {
      await turns(2)
      yield path
    }
  }
  const expected = many.slice(0, 3).map((path) => ({ path, data: readFileSync(path, 'utf8') }))
  t.deepEqual((await collect(readFiles(slow(), { encoding: 'utf8' }))).values, expected)
  t.deepEqual(await readFilesToArray(new Set(many.slice(0, 3)), { encoding: 'utf8' }), expected)
})

test('one outcome for each input, in order, with the errors that Node.js has', async (t) => {
  const folder = at('folder')
  mkdirSync(folder)
  symlinkSync('loop', at('loop'))
  const odd = Buffer.concat([Buffer.from(`${dir}/odd-`), Buffer.from([0xff, 0xfe])])
  writeFileSync(odd, 'odd')
  const good = file('good', 'good')
  const inputs = [
    good,
    at('missing'),
    folder,
    `${at('long')}${'x'.repeat(300)}`,
    at('loop'),
    join(good, 'below'),
    good,
    'a\0b',
    '',
    Buffer.from(good),
    pathToFileURL(good),
    odd,
    Buffer.from('c\0d'),
    Buffer.from(at('missing')),
    5,
    undefined,
    null,
    {},
    new URL('http://host/file'),
    new URL('file:///a%00b'),
    new URL('file:///a%2Fb'),
  ]
  const expected = await Promise.all(
    inputs.map((path) => outcome(() => (typeof path === 'number' ? readFile({}) : readFile(path)))),
  )
  for (const files of [
    await readFilesToArray(inputs),
    (await collect(readFiles(inputs, { errors: 'yield' }))).values,
  ]) {
    t.is(files.length, inputs.length)
    files.forEach(({ path, data, error }, i) => {
      t.is(path, inputs[i])
      const { value, reason } = expected[i]
      if (reason === undefined) return t.deepEqual(data, value)
      t.is(error.code, reason.code, String(inputs[i]))
      if (inputs[i] !== 5) t.is(error.message, reason.message)
      t.is(error.syscall, reason.syscall)
      t.is(error.errno, reason.errno)
      if (error.syscall !== undefined) t.is(error.path, String(inputs[i]))
    })
  }
})

test('errors end the iteration by default, after the files before them', async (t) => {
  const paths = [many[0], many[1], at('missing'), many[2]]
  const { values, reason } = await collect(readFiles(paths))
  t.deepEqual(
    values.map(({ path }) => path),
    many.slice(0, 2),
  )
  t.is(reason.code, 'ENOENT')
})

test('return() ends a next() that waits, and closes the source', async (t) => {
  const pipe = at('unspoken')
  execFileSync('mkfifo', [pipe])
  const source = recordedSource((call) => (call === 1 ? { done: false, value: pipe } : deferred().promise))
  const reads = readFiles(source, { special: true })
  const next = reads.next()
  t.true(await isPending(next))
  await settlesWithin(reads.return())
  t.true((await settlesWithin(next)).done)
  t.is(source.returnCalls, 1)
  t.true((await reads.next()).done)
})

test('return() before the first next() closes the source', async (t) => {
  const source = recordedSource(() => ({ done: false, value: many[0] }))
  const reads = readFiles(source)
  await reads.return()
  t.true((await reads.next()).done)
  t.deepEqual([source.nextCalls, source.returnCalls], [0, 1])
})

for (const ordered of [true, false]) {
  for (const window of [1, 2, 10, 100]) {
    test(`nothing is pulled before it is asked for, nor beyond a window of ${window}, ordered: ${ordered}`, async (t) => {
      const counts = { pulled: 0, given: 0, most: 0 }
      function pull(path) {
        counts.most = Math.max(counts.most, ++counts.pulled - counts.given)
        return path
      }
      function* paths() {
        for (const path of many) yield pull(path)
      }
      async function* slowPaths() {
        for (const path of many.slice(0, 300)) {
          if (counts.pulled % 7 === 0) await turns(1)
          yield pull(path)
        }
      }
      for (const [source, length] of [
        [paths, many.length],
        [slowPaths, 300],
      ]) {
        Object.assign(counts, { pulled: 0, given: 0, most: 0 })
        const reads = readFiles(source(), { maxFilesInFlight: window, ordered })
        t.is(counts.pulled, 0)
        for await (const _ of reads) {
          counts.given++
          if (counts.given % 50 === 0) await turns(1)
        }
        t.is(counts.given, length)
        t.is(counts.most, window)
      }
    })
  }
}

test('readFilesToArray goes on through windows of all sizes', async (t) => {
  for (const maxFilesInFlight of [1, 2, 10, 100]) {
    const files = await readFilesToArray(many, { maxFilesInFlight })
    t.deepEqual(
      files.map(({ path }) => path),
      many,
    )
  }
})

test('an error of the source comes after the files of all its paths', async (t) => {
  const error = new Error('source')
  function* paths() {
    yield* many.slice(0, 5)
    throw error
  }
  const { values, reason } = await collect(readFiles(paths()))
  t.deepEqual(
    values.map(({ path }) => path),
    many.slice(0, 5),
  )
  t.is(reason, error)
})

test('a source whose next() gives no object is refused', async (t) => {
  for (const next of [() => undefined, async () => 5]) {
    const { reason } = await collect(readFiles({ next }))
    t.true(reason instanceof SynchronizerInvalidError)
    t.regex(reason.message, /next\(\)/)
  }
})

test('calls of next() that wait are served in order', async (t) => {
  const reads = readFiles(many.slice(0, 3), { encoding: 'utf8' })
  const steps = await Promise.all(Array.from({ length: 5 }, () => reads.next()))
  t.deepEqual(
    steps.map(({ value }) => value?.path),
    [...many.slice(0, 3), undefined, undefined],
  )
})

test('one signal for two jobs ends both, and no listener is left', async (t) => {
  const controller = new AbortController()
  const { signal } = controller
  let listeners = 0
  signal.addEventListener = function (...args) {
    listeners++
    return EventTarget.prototype.addEventListener.apply(this, args)
  }
  signal.removeEventListener = function (...args) {
    listeners--
    return EventTarget.prototype.removeEventListener.apply(this, args)
  }
  for (let i = 0; i < 100; i++) await readFilesToArray(many.slice(0, 2), { signal })
  t.is(listeners, 0)
  const pipe = at('aborted')
  execFileSync('mkfifo', [pipe])
  const both = [one(pipe, { special: true, signal }), one(pipe, { special: true, signal })]
  await turns(3)
  controller.abort('both')
  for (const end of both) t.is((await outcome(() => settlesWithin(end))).reason, 'both')
  t.is((await outcome(() => readFilesToArray(many, { signal }))).reason, 'both')
})

test.serial('chunks cross, not files: at most one crossing for 64 small files', async (t) => {
  const core = createRequire(import.meta.url)('../../lib/native/core.js')
  const { takeChunk } = core
  let crossings = 0
  core.takeChunk = (job) => {
    const chunk = takeChunk(job)
    if (chunk) crossings++
    return chunk
  }
  await readFilesToArray(many)
  core.takeChunk = takeChunk
  t.true(crossings <= many.length / 64 + 1, `${crossings} crossings`)
})

test('wrong options are refused by name', async (t) => {
  const wrong = [
    { special: 'x' },
    { ordered: 'x' },
    { encodng: 'utf8' },
    { encoding: 'utf9' },
    { errors: 'ignore' },
    { timeout: -1 },
    { maxFilesInFlight: 0 },
    { maxBytesInFlight: 0.5 },
    { signal: {} },
  ]
  for (const options of wrong) {
    t.throws(() => readFiles([], options), {
      instanceOf: SynchronizerInvalidError,
      message: new RegExp(Object.keys(options)[0]),
    })
    await t.throwsAsync(readFilesToArray([], options), {
      instanceOf: SynchronizerInvalidError,
      message: new RegExp(Object.keys(options)[0]),
    })
  }
  t.deepEqual(await readFilesToArray([], { encodng: undefined, special: undefined }), [])
  for (const bytes of [Buffer.from('path'), new Uint8Array(2)]) {
    t.throws(() => readFiles(bytes), { instanceOf: SynchronizerInvalidError, message: /^paths must be/ })
  }
  for (const options of [5, true, ['utf8'], () => {}]) {
    const expected = {
      instanceOf: SynchronizerInvalidError,
      message: /^options must be an object, an encoding, or left out, but is /,
    }
    t.throws(() => readFiles([], options), expected)
    await t.throwsAsync(readFilesToArray([], options), expected)
  }
  await t.throwsAsync(readFilesToArray([], 'utf9'), { instanceOf: SynchronizerInvalidError, message: /encoding.*utf9/ })
  t.throws(() => readFiles(5), { instanceOf: SynchronizerInvalidError, message: /paths/ })
  await t.throwsAsync(readFilesToArray(5), { instanceOf: SynchronizerInvalidError, message: /paths/ })
})
