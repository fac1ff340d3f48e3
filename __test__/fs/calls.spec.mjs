// What a call of readFiles or listFiles means is settled when it is made: its folder, its options, its paths; and whose line its errors name.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'
import test from 'ava'
import { listFiles, readFiles, readFilesToArray } from '../../fs.mjs'
import { outcome, settlesWithin } from '../helpers/async.mjs'

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'ya-syn-calls-')))
test.after.always(() => rmSync(dir, { recursive: true, force: true }))

const names = Array.from({ length: 3000 }, (_, i) => `${i % 30}/${i}`)
for (let i = 0; i < 30; i++) mkdirSync(join(dir, 'content', String(i)), { recursive: true })
names.forEach(name => writeFileSync(join(dir, 'content', name), name))
symlinkSync('content', join(dir, 'link'))
mkdirSync(join(dir, 'elsewhere/content/0'), { recursive: true })
const paths = names.map(name => join(dir, 'content', name))

async function collect(iterable) {
  const values = []
  for await (const value of iterable) values.push(value)
  return values
}

/** Calls `start` in our folder, and is elsewhere before anything was done. */
async function thenElsewhere(start, use) {
  const before = process.cwd()
  process.chdir(dir)
  try {
    const started = start()
    process.chdir('elsewhere')
    return await use(started)
  } finally {
    process.chdir(before)
  }
}

test.serial('the folder that is listed is the one meant at the call', async t => {
  const listed = await thenElsewhere(() => listFiles('content'), collect)
  t.deepEqual(listed.map(({ task }) => task).sort(), names.map(name => `content/${name}`).sort())
  const read = await thenElsewhere(() => listFiles('content'), files => collect(readFiles(files, 'utf8')))
  t.is(read.length, names.length)
  t.true(read.every(({ path, data }) => path === `content/${data}`))
})

test.serial('relative paths are those meant at the call', async t => {
  const relative = names.map(name => `content/${name}`)
  const read = await thenElsewhere(() => readFiles(relative, 'utf8'), collect)
  t.deepEqual(read, relative.map((path, i) => ({ path, data: names[i] })))
  const array = await thenElsewhere(() => readFilesToArray([...relative, '', 'missing'], 'utf8'), files => files)
  t.deepEqual(array.slice(0, -2).map(({ data }) => data), names)
  t.deepEqual(array.slice(-2).map(({ error }) => error.message), [
    "ENOENT: no such file or directory, open ''",
    "ENOENT: no such file or directory, open 'missing'",
  ])
})

test('a link to a folder is listed, and links below it are passed over', async t => {
  const listed = await collect(listFiles(join(dir, 'link')))
  t.is(listed.length, names.length)
  t.true(listed[0].task.startsWith(join(dir, 'link/')))
  t.is((await collect(listFiles(dir))).length, names.length)
})

test('an error names the line of whoever awaits it', async t => {
  const missing = [join(dir, 'missing')]
  async function awaitingArray() {
    return (await readFilesToArray(missing))[0].error
  }
  async function awaitingThrown() {
    for await (const _ of readFiles(missing));
  }
  async function awaitingYielded() {
    for await (const { error } of readFiles(missing, { errors: 'yield' })) return error
  }
  async function awaitingBadPath() {
    return (await readFilesToArray(['a\0b']))[0].error
  }
  async function awaitingList() {
    for await (const _ of listFiles(missing[0]));
  }
  for (const awaiting of [awaitingArray, awaitingThrown, awaitingYielded, awaitingBadPath, awaitingList]) {
    const { value, reason } = await outcome(awaiting)
    const { stack } = value ?? reason
    t.regex(stack, new RegExp(`at async ${awaiting.name} .*calls\\.spec\\.mjs:\\d+`), stack)
    t.true(stack.startsWith(`${(value ?? reason).name}`), stack)
  }
})

test('each option is read once, at the call', async t => {
  const reads = {}
  const counted = options => Object.defineProperties({}, Object.fromEntries(Object.entries(options).map(([name, value]) => {
    reads[name] = 0
    return [name, { enumerable: true, configurable: true, get: () => (reads[name]++ === 0 ? value : Symbol(name)) }]
  })))
  const { signal } = new AbortController()
  const iterator = readFiles(paths, counted({
    encoding: 'utf8', errors: 'yield', ordered: false, special: false, signal, timeout: 60_000, maxFilesInFlight: 10, maxBytesInFlight: 1000,
  }))
  const glob = ['1/*']
  const listed = listFiles(join(dir, 'content'), counted({ glob, ignore: ['x'], hidden: false, followSymlinks: false, signal: undefined }))
  glob[0] = 5
  t.true(Object.values(reads).every(count => count === 1), JSON.stringify(reads))
  t.is((await collect(iterator)).length, paths.length)
  t.is((await collect(listed)).length, 100)
  t.true(Object.values(reads).every(count => count === 1), JSON.stringify(reads))
})

test('aborts and changes of the options while it runs leave nothing behind', async t => {
  let state = 7
  const random = below => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % below
  const unhandled = []
  const record = reason => unhandled.push(reason)
  process.on('unhandledRejection', record)
  for (let round = 0; round < 60; round++) {
    const controller = new AbortController()
    const options = { signal: controller.signal, maxFilesInFlight: 1 + random(100), maxBytesInFlight: 1 + random(1000), errors: 'yield', timeout: 5000 }
    const source = random(3) === 0 ? listFiles(join(dir, 'content')) : paths
    const settled = random(2) === 0 ? outcome(() => readFilesToArray(source, { ...options, errors: undefined })) : outcome(async () => {
      const reads = readFiles(source, options)
      let count = 0
      for await (const _ of reads) if (++count === 1 + random(3000)) break
    })
    for (const name of Object.keys(options)) {
      if (random(2) === 0) delete options[name]
      else options[name] = [undefined, null, -1, {}, 'x'][random(5)]
    }
    if (random(3) > 0) setTimeout(() => controller.abort('stop'), random(20))
    const { status, reason } = await settlesWithin(settled)
    if (status === 'rejected') t.is(reason, 'stop')
  }
  process.off('unhandledRejection', record)
  t.deepEqual(unhandled, [])
  // The threads and their descriptors are free for others.
  t.is((await settlesWithin(readFilesToArray(paths))).length, paths.length)
})

test('null as signal is none', async t => {
  t.is((await readFilesToArray(paths.slice(0, 2), { signal: null })).length, 2)
  t.is((await collect(listFiles(join(dir, 'content/1'), { signal: null }))).length, 100)
})

test('paths of other realms are told by what they are', async t => {
  const context = vm.createContext({ text: paths[0], href: pathToFileURL(paths[0]).href })
  const bytes = vm.runInContext('Uint8Array.from(text, char => char.charCodeAt(0))', context)
  t.false(bytes instanceof Uint8Array)
  // Such as jsdom's.
  const url = vm.runInContext("({ href, protocol: 'file:', hostname: '', pathname: href.slice(7), search: '', hash: '' })", context)
  const files = await readFilesToArray(vm.runInContext('(list) => Array.from(list)', context)([bytes, url]), 'utf8')
  t.deepEqual(files.map(({ data }) => data), [names[0], names[0]])
  t.is((await collect(listFiles(vm.runInContext('Uint8Array.from(dir, char => char.charCodeAt(0))', vm.createContext({ dir }))))).length, names.length)
})

test('bytes that are used again for the next path are read as they were', async t => {
  function* reused() {
    const bytes = Buffer.from(paths[0])
    for (const name of ['0/0', '0/1', '0/2']) {
      bytes.write(name, bytes.length - 3)
      yield bytes
    }
  }
  const files = await readFilesToArray(reused(), 'utf8')
  t.deepEqual(files.map(({ data, error }) => data ?? error.code), ['0/0', 'ENOENT', 'ENOENT'])
})

test('patterns match what those of fast-glob match', async t => {
  const fastGlob = await import('fast-glob').catch(() => undefined)
  if (fastGlob === undefined) return void t.pass('it is not installed')
  const root = mkdtempSync(join(tmpdir(), 'ya-syn-glob-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of ['src/deep', 'dir/x', '.github', 'é', '日本']) mkdirSync(join(root, folder), { recursive: true })
  const files = ['a.txt', 'é.txt', '日.txt', 'ab.txt', 'a.js', 'a.test.js', 'b.js', 'f1', 'f2', 'f4', 'f08', 'f10', '{a}', '.env', '.github/ci.yml',
    'src/a.ts', 'src/é.ts', 'src/deep/b.ts', 'src/deep/.c.ts', 'dir/x/y.js', 'dir/z.js', 'é/a.md', '日本/b.md', 'aab', 'ab']
  files.forEach(file => writeFileSync(join(root, file), ''))
  const patterns = ['?.txt', '[é].txt', '[!a].txt', '[^a-c].txt', '*{,.test}.js', '@(a|b).js', '?(a)b', '*(a|b)', '+(a)b', 'f{1..3}', 'f{08..10}', '{a}', '**', '**/*.ts',
    'src/**', 'src/*', '{src,dir}/**/*.{ts,js}', '*/*.md', '.github/*.yml', '**/.c.ts', '.env', '*', '**/deep/**', 'src/**/b.ts', '[[:alpha:]].js', 'a*b']
  // None that matches folders by their own names: we do not enter those, and fast-glob does in some cases.
  const ignores = [undefined, 'dir/**', '**/*.js', 'src/deep/**']
  const ours = async options => (await collect(listFiles(root, options))).map(({ task }) => task.slice(root.length + 1)).sort()
  for (const hidden of [false, true]) {
    for (const glob of patterns) {
      for (const ignore of ignores) {
        const theirs = await fastGlob.default.glob(glob, { cwd: root, dot: hidden, ignore: ignore === undefined ? [] : [ignore] })
        t.deepEqual(await ours({ glob, ignore, hidden }), theirs.sort(), `${glob} without ${ignore}, hidden: ${hidden}`)
      }
    }
  }
})

test('a folder of many names is listed in the time that readdirSync and a sort take', async t => {
  const { readdirSync } = createRequire(import.meta.url)('node:fs')
  const folder = mkdtempSync(join(tmpdir(), 'ya-syn-names-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (let i = 0; i < 20_000; i++) writeFileSync(join(folder, `name-${(i * 7919) % 20_011}`), '')
  let ratio = Infinity
  for (let round = 0; round < 5; round++) {
    let start = performance.now()
    const expected = readdirSync(folder, { withFileTypes: true }).map(({ name }) => name).sort()
    const theirs = performance.now() - start
    start = performance.now()
    const listed = await collect(listFiles(folder))
    ratio = Math.min(ratio, (performance.now() - start) / theirs)
    t.deepEqual(listed.map(({ task }) => task.slice(folder.length + 1)), expected)
  }
  // A debug build sorts several times more slowly.
  t.true(ratio < 20, `${ratio} times as long`)
})
