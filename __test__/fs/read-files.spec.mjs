// readFiles and readFilesToArray: results, order, errors, options, sources, closing.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { SynchronizerInvalidError } from '../../index.mjs'
import { readFiles, readFilesToArray } from '../../fs.mjs'
import { deferred, isPending, outcome, settlesWithin, turns, waitUntil } from '../helpers/async.mjs'
import { recordedSource } from '../helpers/sources.mjs'

const dir = mkdtempSync(join(tmpdir(), 'ya-syn-files-'))
test.after.always(() => rmSync(dir, { recursive: true, force: true }))

const at = name => join(dir, name)
function file(name, data) {
  writeFileSync(at(name), data)
  return at(name)
}
const many = Array.from({ length: 3000 }, (_, i) => file(`many-${i}`, `text of file ${i} `.repeat(i % 7)))

async function collect(iterable) {
  const values = []
  const end = await outcome(async () => {
    for await (const value of iterable) values.push(value)
  })
  return { values, ...end }
}
const one = async (path, options) => (await readFilesToArray([path], options))[0]

test('import and require give one object each', t => {
  const required = createRequire(import.meta.url)('../../fs.js')
  t.is(required.readFiles, readFiles)
  t.is(required.readFilesToArray, readFilesToArray)
})

test('readFilesToArray gives each file at its place', async t => {
  const files = await readFilesToArray(many, { encoding: 'utf8' })
  t.deepEqual(files, many.map(path => ({ path, data: readFileSync(path, 'utf8') })))
})

test('readFiles gives the files in the order of the paths', async t => {
  const { values } = await collect(readFiles(many))
  t.deepEqual(values.map(({ path }) => path), many)
  t.true(values.every(({ path, data }) => Buffer.isBuffer(data) && data.equals(readFileSync(path))))
})

test('ordered: false gives each file once', async t => {
  const { values } = await collect(readFiles(many, { ordered: false, encoding: 'utf8' }))
  t.deepEqual(values.map(({ path }) => path).sort(), [...many].sort())
  t.true(values.every(({ path, data }) => data === readFileSync(path, 'utf8')))
})

test('no paths, no results', async t => {
  t.deepEqual(await readFilesToArray([]), [])
  t.deepEqual((await collect(readFiles(new Set()))).values, [])
})

test('paths may come from any iterable, a slow one too', async t => {
  async function* slow() {
    for (const path of many.slice(0, 3)) {
      await turns(2)
      yield path
    }
  }
  const expected = many.slice(0, 3).map(path => ({ path, data: readFileSync(path, 'utf8') }))
  t.deepEqual((await collect(readFiles(slow(), { encoding: 'utf8' }))).values, expected)
  t.deepEqual(await readFilesToArray(new Set(many.slice(0, 3)), { encoding: 'utf8' }), expected)
})

test('F03: one outcome for each input, in order, with the errors that Node.js has', async t => {
  const folder = at('folder')
  mkdirSync(folder)
  symlinkSync('loop', at('loop'))
  const odd = Buffer.concat([Buffer.from(`${dir}/odd-`), Buffer.from([0xff, 0xfe])])
  writeFileSync(odd, 'odd')
  const good = file('good', 'good')
  const inputs = [
    good, at('missing'), folder, `${at('long')}${'x'.repeat(300)}`, at('loop'), join(good, 'below'), good, 'a\0b', '',
    Buffer.from(good), pathToFileURL(good), odd, Buffer.from('c\0d'), Buffer.from(at('missing')),
    5, undefined, null, {}, new URL('http://host/file'), new URL('file:///a%00b'), new URL('file:///a%2Fb'),
  ]
  const expected = await Promise.all(inputs.map(path => outcome(() => typeof path === 'number' ? readFile({}) : readFile(path))))
  for (const files of [await readFilesToArray(inputs), (await collect(readFiles(inputs, { errors: 'yield' }))).values]) {
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

test('F03: errors end the iteration by default, after the files before them', async t => {
  const paths = [many[0], many[1], at('missing'), many[2]]
  const { values, reason } = await collect(readFiles(paths))
  t.deepEqual(values.map(({ path }) => path), many.slice(0, 2))
  t.is(reason.code, 'ENOENT')
})

test('F05: text is what readFile gives: U+FFFD for bad bytes, and a BOM kept', async t => {
  const bytes = [[0xff, 0x61], [0xef, 0xbb, 0xbf, 0x62], [0xe2, 0x82], [0xf0, 0x9f, 0x98], []]
  const paths = bytes.map((data, i) => file(`text-${i}`, Buffer.from(data)))
  for (const encoding of ['utf8', 'latin1', 'hex', 'base64', 'utf16le']) {
    const files = await readFilesToArray(paths, { encoding })
    t.deepEqual(files.map(({ data }) => data), paths.map(path => readFileSync(path, encoding)))
  }
})

test('a string as options is the encoding, as for readFile', async t => {
  t.is((await one(many[1], 'latin1')).data, readFileSync(many[1], 'latin1'))
  t.is((await collect(readFiles([many[1]], 'utf8'))).values[0].data, readFileSync(many[1], 'utf8'))
  t.true(Buffer.isBuffer((await one(many[1], 'buffer')).data))
  t.true(Buffer.isBuffer((await one(many[1], null)).data))
})

test('F04: files of /proc have size 0 and content', async t => {
  const { data } = await one('/proc/self/limits', { encoding: 'utf8' })
  t.is(data, readFileSync('/proc/self/limits', 'utf8'))
})

test('F04: sizes around all borders', async t => {
  const sizes = [0, 1, 4095, 4096, 16_383, 16_384, 16_385, 65_535, 65_536, 131_071, 131_072, 131_073, 1 << 20, 5_000_001]
  const paths = sizes.map(size => file(`size-${size}`, Buffer.alloc(size, `${size}.`)))
  for (const files of [await readFilesToArray(paths), (await collect(readFiles(paths, { maxBytesInFlight: 1 }))).values]) {
    files.forEach(({ data }, i) => t.true(data.equals(Buffer.alloc(sizes[i], `${sizes[i]}.`)), `${sizes[i]}`))
  }
})

test('F04: a file that grows or shrinks while it is read gives a whole state of it', async t => {
  const path = file('growing', '0123456789'.repeat(1000))
  for (let round = 0; round < 50; round++) {
    const reading = one(path, { encoding: 'utf8' })
    if (round % 2 === 0) appendFileSync(path, '0123456789')
    else truncateSync(path, 9_990)
    const { data } = await reading
    t.is(data, '0123456789'.repeat(data.length / 10))
  }
})

test('F04: files of 2 GiB and more, and text beyond the limit of strings, are clear errors', async t => {
  const huge = [2 ** 31, 3 * 2 ** 30].map((size, i) => {
    const path = file(`huge-${i}`, '')
    truncateSync(path, size)
    return path
  })
  const long = file('long-text', '')
  truncateSync(long, 2 ** 29 + 1000)
  const errors = (await readFilesToArray([...huge, long], { encoding: 'latin1' })).map(({ error }) => error)
  t.deepEqual(errors.map(({ code }) => code), ['ERR_FS_FILE_TOO_LARGE', 'ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'])
  t.is(errors[0].message, (await outcome(() => readFile(huge[0]))).reason.message)
})

test('P04: Buffers can be written, joined and cloned, and share no visible bytes', async t => {
  const paths = [file('empty', ''), ...many.slice(1, 5), file('1MB', Buffer.alloc(1 << 20, 'm'))]
  const files = await readFilesToArray(paths)
  const before = files.map(({ data }) => Buffer.from(data))
  files[1].data.fill('x')
  files.slice(2).forEach(({ data }, i) => t.true(data.equals(before[i + 2])))
  t.is(Buffer.concat(files.map(({ data }) => data)).length, before.reduce((sum, data) => sum + data.length, 0))
  for (const { data } of files) {
    t.deepEqual(structuredClone(data), new Uint8Array(data))
    data.set(data.subarray(0, 1))
  }
  t.is(files[0].data.length, 0)
  t.is(structuredClone(files[0].data, { transfer: [files[0].data.buffer] }).length, 0)
})

test('special files are refused by name, unless asked for', async t => {
  const pipe = at('pipe')
  execFileSync('mkfifo', [pipe])
  const server = createServer().listen(at('socket'))
  await waitUntil(() => server.listening)
  const files = await readFilesToArray([pipe, at('socket'), '/dev/null', many[1]], { encoding: 'utf8' })
  server.close()
  t.regex(files[0].error.message, /is a pipe \(FIFO\).*special: true/)
  t.regex(files[1].error.message, /is a socket/)
  t.regex(files[2].error.message, /is a character device/)
  t.true(files.slice(0, 3).every(({ error }) => error.code === 'EINVAL' && error.syscall === 'open'))
  t.is(files[3].data, readFileSync(many[1], 'utf8'))
  t.is((await one('/dev/null', { special: true })).data.length, 0)
})

test('a pipe that nobody writes to holds up no other file; timeout and signal free the caller', async t => {
  const pipes = Array.from({ length: 20 }, (_, i) => at(`silent-${i}`))
  execFileSync('mkfifo', pipes)
  const controller = new AbortController()
  const reads = readFiles([...pipes, ...many.slice(0, 300)], { special: true, ordered: false, signal: controller.signal })
  for (let i = 0; i < 300; i++) t.false(pipes.includes((await settlesWithin(reads.next())).value.path))
  const next = reads.next()
  t.true(await isPending(next))
  controller.abort('enough')
  t.is((await outcome(() => settlesWithin(next))).reason, 'enough')
  const { error } = await one(pipes[0], { special: true, timeout: 20 })
  t.is(error.code, 'ETIMEDOUT')
  t.regex(error.message, /20 ms/)
})

test('a pipe gives all that is written to it', async t => {
  const pipe = at('spoken')
  execFileSync('mkfifo', [pipe])
  const reading = one(pipe, { special: true, encoding: 'utf8' })
  const writer = await open(pipe, 'w')
  await writer.write('one')
  await turns(5)
  await writer.write('two')
  await writer.close()
  t.is((await settlesWithin(reading)).data, 'onetwo')
})

test('return() ends a next() that waits, and closes the source', async t => {
  const pipe = at('unspoken')
  execFileSync('mkfifo', [pipe])
  const source = recordedSource(call => call === 1 ? { done: false, value: pipe } : deferred().promise)
  const reads = readFiles(source, { special: true })
  const next = reads.next()
  t.true(await isPending(next))
  await settlesWithin(reads.return())
  t.true((await settlesWithin(next)).done)
  t.is(source.returnCalls, 1)
  t.true((await reads.next()).done)
})

test('return() before the first next() closes the source', async t => {
  const source = recordedSource(() => ({ done: false, value: many[0] }))
  const reads = readFiles(source)
  await reads.return()
  t.true((await reads.next()).done)
  t.deepEqual([source.nextCalls, source.returnCalls], [0, 1])
})

for (const ordered of [true, false]) {
  for (const window of [1, 2, 10, 100]) {
    test(`nothing is pulled before it is asked for, nor beyond a window of ${window}, ordered: ${ordered}`, async t => {
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
      for (const [source, length] of [[paths, many.length], [slowPaths, 300]]) {
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

test('readFilesToArray goes on through windows of all sizes', async t => {
  for (const maxFilesInFlight of [1, 2, 10, 100]) {
    const files = await readFilesToArray(many, { maxFilesInFlight })
    t.deepEqual(files.map(({ path }) => path), many)
  }
})

test('an error of the source comes after the files of all its paths', async t => {
  const error = new Error('source')
  function* paths() {
    yield* many.slice(0, 5)
    throw error
  }
  const { values, reason } = await collect(readFiles(paths()))
  t.deepEqual(values.map(({ path }) => path), many.slice(0, 5))
  t.is(reason, error)
})

test('a source whose next() gives no object is refused', async t => {
  for (const next of [() => undefined, async () => 5]) {
    const { reason } = await collect(readFiles({ next }))
    t.true(reason instanceof SynchronizerInvalidError)
    t.regex(reason.message, /next\(\)/)
  }
})

test('calls of next() that wait are served in order', async t => {
  const reads = readFiles(many.slice(0, 3), { encoding: 'utf8' })
  const steps = await Promise.all(Array.from({ length: 5 }, () => reads.next()))
  t.deepEqual(steps.map(({ value }) => value?.path), [...many.slice(0, 3), undefined, undefined])
})

test('A02: one signal for two jobs ends both, and no listener is left', async t => {
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

test.serial('chunks cross, not files: at most one crossing for 64 small files', async t => {
  const core = createRequire(import.meta.url)('../../lib/native/core.js')
  const { takeChunk } = core
  let crossings = 0
  core.takeChunk = job => {
    const chunk = takeChunk(job)
    if (chunk) crossings++
    return chunk
  }
  await readFilesToArray(many)
  core.takeChunk = takeChunk
  t.true(crossings <= many.length / 64 + 1, `${crossings} crossings`)
})

test('wrong options are refused by name', async t => {
  const wrong = [{ special: 'x' }, { ordered: 'x' }, { encodng: 'utf8' }, { encoding: 'utf9' }, { errors: 'ignore' }, { timeout: -1 }, { maxFilesInFlight: 0 }, { maxBytesInFlight: 0.5 }, { signal: {} }]
  for (const options of wrong) {
    t.throws(() => readFiles([], options), { instanceOf: SynchronizerInvalidError, message: new RegExp(Object.keys(options)[0]) })
    await t.throwsAsync(readFilesToArray([], options), { instanceOf: SynchronizerInvalidError, message: new RegExp(Object.keys(options)[0]) })
  }
  t.deepEqual(await readFilesToArray([], { encodng: undefined, special: undefined }), [])
  for (const bytes of [Buffer.from('path'), new Uint8Array(2)]) {
    t.throws(() => readFiles(bytes), { instanceOf: SynchronizerInvalidError, message: /^paths must be/ })
  }
  for (const options of [5, true, ['utf8'], () => {}]) {
    const expected = { instanceOf: SynchronizerInvalidError, message: /^options must be an object, an encoding, or left out, but is / }
    t.throws(() => readFiles([], options), expected)
    await t.throwsAsync(readFilesToArray([], options), expected)
  }
  await t.throwsAsync(readFilesToArray([], 'utf9'), { instanceOf: SynchronizerInvalidError, message: /encoding.*utf9/ })
  t.throws(() => readFiles(5), { instanceOf: SynchronizerInvalidError, message: /paths/ })
  await t.throwsAsync(readFilesToArray(5), { instanceOf: SynchronizerInvalidError, message: /paths/ })
})
