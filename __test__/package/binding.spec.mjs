// What a user sees when the compiled addon cannot be loaded: one error with the machine, the tries and the remedy.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTriple } from '@napi-rs/cli'
import test from 'ava'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { napi } = createRequire(import.meta.url)('../../package.json')
const tuple = napi.targets
  .map(parseTriple)
  .find(
    ({ platform, arch, abi }) => platform === process.platform && arch === process.arch && abi !== otherLibc(),
  ).platformArchABI
const file = `${napi.binaryName}.${tuple}.node`
const packageName = `${napi.packageName}-${tuple}`

test.beforeEach((t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ya-syn-binding-')))
  for (const name of ['package.json', 'native.js', 'lib']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  t.context.folder = folder
})

test.afterEach.always((t) => {
  rmSync(t.context.folder, { recursive: true, force: true })
})

test('a platform without a binary gives one error with machine, tries and remedy', (t) => {
  const { code, message } = failure(t.context.folder)
  t.is(code, 'ERR_YA_SYN_NATIVE_BINDING')
  const [first, tried, ...rest] = message.split('\n')
  t.true(first.includes(`${process.platform} ${process.arch}`))
  if (process.platform === 'linux') {
    t.regex(first, /with (glibc [\d.]+ \(as process\.report says\)|musl \(.+ is loaded\))/)
  }
  t.is(tried, 'Tried:')
  t.true(rest.includes(`  - Cannot find module './${file}'`))
  t.true(rest.includes(`  - Cannot find module '${packageName}'`))
  t.false(message.includes('wasi'))
  t.regex(rest.at(-1), /^Remedy: .*--omit=optional.*lockfile was made on another platform/)
})

test('a broken binary is told apart from a missing one', (t) => {
  writeFileSync(join(t.context.folder, file), 'not a library')
  const { message } = failure(t.context.folder)
  t.true(message.includes(file))
  t.regex(message, /^Remedy: a file is there but broken/m)
})

test('a broken binary in the platform package is told apart too', (t) => {
  const folder = join(t.context.folder, 'node_modules', packageName)
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'npm', tuple, 'package.json'), join(folder, 'package.json'))
  writeFileSync(join(folder, file), 'not a library')
  const { message } = failure(t.context.folder)
  t.true(message.includes(join(folder, file)))
  t.regex(message, /^Remedy: a file is there but broken/m)
})

test('a platform that no build is made for is told which ones there are', (t) => {
  const { message } = failure(t.context.folder, `Object.defineProperty(process, 'platform', { value: 'sunos' })`)
  t.regex(message, /on sunos /)
  t.true(message.includes('  - Unsupported OS: sunos'))
  t.true(napi.targets.every((target) => message.includes(target)))
})

test('a checkout that was not built says how to build it', (t) => {
  rmSync(join(t.context.folder, 'native.js'))
  t.regex(failure(t.context.folder).message, /npm run build/)
})

/** Loads the addon in a process of its own, which prints the error. */
function failure(folder, before = '') {
  const program = `
    ${before}
    try {
      require('./lib/native/binding.js')
    } catch ({ code, message }) {
      console.log(JSON.stringify({ code, message }))
    }`
  return JSON.parse(execFileSync(process.execPath, ['-e', program], { cwd: folder, encoding: 'utf8' }))
}

function otherLibc() {
  return process.report.getReport().header.glibcVersionRuntime ? 'musl' : 'gnu'
}
