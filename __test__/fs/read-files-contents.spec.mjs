// What readFiles gives of a file: text and Buffers, sizes of all kinds, special files and pipes.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { readFiles, readFilesToArray } from '../../fs.mjs'
import { isPending, outcome, settlesWithin, turns, waitUntil } from '../helpers/async.mjs'
import { collect } from '../helpers/sources.mjs'

const dir = mkdtempSync(join(tmpdir(), 'ya-syn-files-'))
test.after.always(() => rmSync(dir, { recursive: true, force: true }))

const at = (name) => join(dir, name)
function file(name, data) {
  writeFileSync(at(name), data)
  return at(name)
}
const many = Array.from({ length: 300 }, (_, i) => file(`many-${i}`, `text of file ${i} `.repeat(i % 7)))
const one = async (path, options) => (await readFilesToArray([path], options))[0]

test('text is what readFile gives: U+FFFD for bad bytes, and a BOM kept', async (t) => {
  const bytes = [[0xff, 0x61], [0xef, 0xbb, 0xbf, 0x62], [0xe2, 0x82], [0xf0, 0x9f, 0x98], []]
  const paths = bytes.map((data, i) => file(`text-${i}`, Buffer.from(data)))
  for (const encoding of ['utf8', 'latin1', 'hex', 'base64', 'utf16le']) {
    const files = await readFilesToArray(paths, { encoding })
    t.deepEqual(
      files.map(({ data }) => data),
      paths.map((path) => readFileSync(path, encoding)),
    )
  }
})

test('a string as options is the encoding, as for readFile', async (t) => {
  t.is((await one(many[1], 'latin1')).data, readFileSync(many[1], 'latin1'))
  t.is((await collect(readFiles([many[1]], 'utf8'))).values[0].data, readFileSync(many[1], 'utf8'))
  t.true(Buffer.isBuffer((await one(many[1], 'buffer')).data))
  t.true(Buffer.isBuffer((await one(many[1], null)).data))
})

test('files of /proc have size 0 and content', async (t) => {
  const { data } = await one('/proc/self/limits', { encoding: 'utf8' })
  t.is(data, readFileSync('/proc/self/limits', 'utf8'))
})

test('sizes around all borders', async (t) => {
  const sizes = [
    0,
    1,
    4095,
    4096,
    16_383,
    16_384,
    16_385,
    65_535,
    65_536,
    131_071,
    131_072,
    131_073,
    1 << 20,
    5_000_001,
  ]
  const paths = sizes.map((size) => file(`size-${size}`, Buffer.alloc(size, `${size}.`)))
  for (const files of [
    await readFilesToArray(paths),
    (await collect(readFiles(paths, { maxBytesInFlight: 1 }))).values,
  ]) {
    files.forEach(({ data }, i) => t.true(data.equals(Buffer.alloc(sizes[i], `${sizes[i]}.`)), `${sizes[i]}`))
  }
})

test('a file that grows or shrinks while it is read gives a whole state of it', async (t) => {
  const path = file('growing', '0123456789'.repeat(1000))
  for (let round = 0; round < 50; round++) {
    const reading = one(path, { encoding: 'utf8' })
    if (round % 2 === 0) appendFileSync(path, '0123456789')
    else truncateSync(path, 9_990)
    const { data } = await reading
    t.is(data, '0123456789'.repeat(data.length / 10))
  }
})

test('files of 2 GiB and more, and text beyond the limit of strings, are clear errors', async (t) => {
  const huge = [2 ** 31, 3 * 2 ** 30].map((size, i) => {
    const path = file(`huge-${i}`, '')
    truncateSync(path, size)
    return path
  })
  const long = file('long-text', '')
  truncateSync(long, 2 ** 29 + 1000)
  const errors = (await readFilesToArray([...huge, long], { encoding: 'latin1' })).map(({ error }) => error)
  t.deepEqual(
    errors.map(({ code }) => code),
    ['ERR_FS_FILE_TOO_LARGE', 'ERR_FS_FILE_TOO_LARGE', 'ERR_STRING_TOO_LONG'],
  )
  t.is(errors[0].message, (await outcome(() => readFile(huge[0]))).reason.message)
})

test('Buffers can be written, joined and cloned, and share no visible bytes', async (t) => {
  const paths = [file('empty', ''), ...many.slice(1, 5), file('1MB', Buffer.alloc(1 << 20, 'm'))]
  const files = await readFilesToArray(paths)
  const before = files.map(({ data }) => Buffer.from(data))
  files[1].data.fill('x')
  files.slice(2).forEach(({ data }, i) => t.true(data.equals(before[i + 2])))
  t.is(
    Buffer.concat(files.map(({ data }) => data)).length,
    before.reduce((sum, data) => sum + data.length, 0),
  )
  for (const { data } of files) {
    t.deepEqual(structuredClone(data), new Uint8Array(data))
    data.set(data.subarray(0, 1))
  }
  t.is(files[0].data.length, 0)
  t.is(structuredClone(files[0].data, { transfer: [files[0].data.buffer] }).length, 0)
})

test('special files are refused by name, unless asked for', async (t) => {
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

test('a pipe that nobody writes to holds up no other file; timeout and signal free the caller', async (t) => {
  const pipes = Array.from({ length: 20 }, (_, i) => at(`silent-${i}`))
  execFileSync('mkfifo', pipes)
  const controller = new AbortController()
  const reads = readFiles([...pipes, ...many.slice(0, 300)], {
    special: true,
    ordered: false,
    signal: controller.signal,
  })
  for (let i = 0; i < 300; i++) t.false(pipes.includes((await settlesWithin(reads.next())).value.path))
  const next = reads.next()
  t.true(await isPending(next))
  controller.abort('enough')
  t.is((await outcome(() => settlesWithin(next))).reason, 'enough')
  const { error } = await one(pipes[0], { special: true, timeout: 20 })
  t.is(error.code, 'ETIMEDOUT')
  t.regex(error.message, /20 ms/)
})

test('a pipe gives all that is written to it', async (t) => {
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
