// listFiles: which files, in which order; alone, in readFiles, and as a task source.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { SynchronizerInvalidError, SynchronizerProvider } from '../../index.mjs'
import { listFiles, readFiles, readFilesToArray } from '../../fs.mjs'
import { outcome, settlesWithin } from '../helpers/async.mjs'

const dir = mkdtempSync(join(tmpdir(), 'ya-syn-list-'))
test.after.always(() => rmSync(dir, { recursive: true, force: true }))

const names = ['a.txt', 'b.md', '.hidden', 'sub/a.txt', 'sub/deep/c.md', 'sub/.git/config', 'tmp/x.txt', 'z']
for (const name of names) {
  mkdirSync(dirname(join(dir, name)), { recursive: true })
  writeFileSync(join(dir, name), name)
}
symlinkSync('..', join(dir, 'sub/loop'))
symlinkSync('../b.md', join(dir, 'sub/link.md'))
symlinkSync('nowhere', join(dir, 'broken'))
execFileSync('mkfifo', [join(dir, 'pipe')])

async function list(options, root = dir) {
  const paths = []
  for await (const { task } of listFiles(root, options)) paths.push(relative(dir, task))
  return paths
}
const plain = ['a.txt', 'b.md', 'sub/a.txt', 'sub/deep/c.md', 'tmp/x.txt', 'z']

test('it lists regular files in the order of their names', async (t) => {
  t.deepEqual(await list(), plain)
  t.deepEqual(await list({}, pathToFileURL(dir)), plain)
  t.deepEqual(await list({}, Buffer.from(dir)), plain)
})

test('glob, ignore and hidden choose', async (t) => {
  t.deepEqual(await list({ glob: '**/*.md' }), ['b.md', 'sub/deep/c.md'])
  t.deepEqual(await list({ glob: ['*.txt', 'sub/*.txt'] }), ['a.txt', 'sub/a.txt'])
  t.deepEqual(await list({ ignore: ['tmp', '**/deep'] }), ['a.txt', 'b.md', 'sub/a.txt', 'z'])
  t.deepEqual(await list({ hidden: true }), [
    '.hidden',
    'a.txt',
    'b.md',
    'sub/.git/config',
    'sub/a.txt',
    'sub/deep/c.md',
    'tmp/x.txt',
    'z',
  ])
})

test('followSymlinks lists what links lead to, and a loop ends', async (t) => {
  t.deepEqual(await list({ followSymlinks: true }), [
    'a.txt',
    'b.md',
    'sub/a.txt',
    'sub/deep/c.md',
    'sub/link.md',
    'tmp/x.txt',
    'z',
  ])
})

test('readFiles reads what is listed, in that order', async (t) => {
  const files = await readFilesToArray(listFiles(dir, { ignore: 'tmp' }), { encoding: 'utf8' })
  t.deepEqual(
    files.map(({ path, data }) => [relative(dir, path), data]),
    plain.filter((name) => name !== 'tmp/x.txt').map((name) => [name, name]),
  )
  const read = []
  for await (const { data } of readFiles(listFiles(dir), { encoding: 'utf8', maxFilesInFlight: 2 })) read.push(data)
  t.deepEqual(read, plain)
})

test('it is a task source', async (t) => {
  const seen = []
  await new SynchronizerProvider().executeTasks({
    maxTasksInFlight: 3,
    taskSource: listFiles(dir),
    taskExecutor: async ({ task }) => {
      seen.push(relative(dir, task))
    },
  })
  t.deepEqual(seen, plain)
})

test('F03: names that are no UTF-8 come as Buffers, and can be read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ya-syn-list-odd-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'x.txt'), 'plain')
  const odd = Buffer.concat([Buffer.from(`${folder}/y`), Buffer.from([0xff])])
  writeFileSync(odd, 'odd')
  const paths = []
  for await (const { task } of listFiles(folder)) paths.push(task)
  const files = await readFilesToArray(listFiles(folder), { encoding: 'utf8' })
  t.deepEqual(paths, [join(folder, 'x.txt'), odd])
  t.deepEqual(
    files.map(({ data }) => data),
    ['plain', 'odd'],
  )
})

test('a folder that is missing or none ends the iteration with an error like that of readdir', async (t) => {
  for (const [root, code] of [
    [join(dir, 'missing'), 'ENOENT'],
    [join(dir, 'z'), 'ENOTDIR'],
  ]) {
    const { reason } = await outcome(() => list({}, root))
    t.is(reason.code, code)
    t.is(reason.syscall, 'scandir')
    t.is(reason.path, root)
    t.is(
      (
        await outcome(async () => {
          for await (const _ of readFiles(listFiles(root))) t.fail()
        })
      ).reason.code,
      code,
    )
    t.is((await readFilesToArray(listFiles(root)))[0].error.code, code)
  }
})

test('break stops listing; a used source is refused', async (t) => {
  const files = listFiles('/usr')
  for await (const _ of files) break
  t.true((await settlesWithin(files.next())).done)
  const used = listFiles(dir)
  await used.next()
  t.true((await outcome(() => readFilesToArray(used))).reason instanceof SynchronizerInvalidError)
})

test('A02: an abort ends listing with its reason', async (t) => {
  const controller = new AbortController()
  const files = listFiles('/usr', { signal: controller.signal })
  await files.next()
  controller.abort('stop')
  t.is((await outcome(() => settlesWithin(files.next()))).reason, 'stop')
})

test('wrong arguments are refused by name', (t) => {
  t.throws(() => listFiles(dir, { glob: 'a[' }), { instanceOf: SynchronizerInvalidError, message: /glob.*a\[/ })
  t.throws(() => listFiles(dir, { ignore: 5 }), { instanceOf: SynchronizerInvalidError, message: /ignore/ })
  for (const options of [{ hidden: 1 }, { followSymlinks: 1 }, { globs: '*' }]) {
    t.throws(() => listFiles(dir, options), {
      instanceOf: SynchronizerInvalidError,
      message: new RegExp(Object.keys(options)[0]),
    })
  }
  t.throws(() => listFiles(dir, { globs: '*' }), {
    message: "globs must be left out: listFiles knows followSymlinks, glob, hidden, ignore, signal, but is '*'",
  })
  t.throws(() => listFiles(dir, { hidden: 1 }), { message: 'hidden must be a boolean, or left out, but is 1' })
  for (const pattern of ['', '/a.txt', './a.txt']) {
    for (const name of ['glob', 'ignore']) {
      t.throws(() => listFiles(dir, { [name]: ['*', pattern] }), {
        instanceOf: SynchronizerInvalidError,
        message: new RegExp(`^${name} must be a path relative to the folder.* but is '${pattern}'$`),
      })
    }
  }
  t.throws(() => listFiles(dir, '*.md'), { instanceOf: SynchronizerInvalidError, message: /options.*\*\.md/ })
  t.throws(() => listFiles(5), { code: 'ERR_INVALID_ARG_TYPE' })
})
