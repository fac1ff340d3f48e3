// Packs the package and its platform package as they would be published, installs them into empty projects without
// running scripts, and uses them there in each way a user would, also from test runners, which come from the registry. Needs a built
// addon; takes about two minutes.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTriple } from '@napi-rs/cli'
import { startS3Server } from '../tools/s3-server/start.mjs'
import { highestGlibc } from './highest-glibc.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const require = createRequire(import.meta.url)
const manifest = require('../package.json')
const tsc = require.resolve('typescript/lib/tsc.js')
const publint = join(root, 'node_modules/.bin/publint')
const attw = join(root, 'node_modules/.bin/attw')
const esbuild = join(root, 'node_modules/.bin/esbuild')

// What each program in examples/ prints.
const examples = {
  'lock-by-key': 'alice: 80, bob: 110, carol: 110',
  'cache-with-ttl': 'failed: the first load fails\ntogether: 2 2 2\ncached: 2\nfresh: 3\nloads: 3',
  'resize-images': 'cat: 8 12 16 24 32 48\ndog: 8 12 16 24 32 48\nowl: 8 12 16 24 32 48',
  'rate-limited-api': 'calls: 24\nwithin the limit: true',
  'count-words': 'key: 100, lock: 100, task: 200',
  'delete-old-logs': 'would delete 30 keys\ndeleted 30 keys, 0 stay',
  'task-pipeline': 'bytes: 100\npeak: 3\nfailures: b/10 cannot be read',
}

// Majors that run on every Node.js that the package supports.
const runners = { jest: 'jest@30', vitest: 'vitest@3', ava: 'ava@7' }
/** What `usage` needs of the package. */
const names = '{ SynchronizerProvider, SynchronizerTimeoutError, toTasks }'
/** Milliseconds for one run of a test runner, which is to end by itself. */
const PATIENCE = 120_000

const { tuple, binary } = builtAddon()
const work = mkdtempSync(join(tmpdir(), 'ya-syn-package-'))
const tarballs = {}

try {
  await step('pack the package', packRoot)
  await step('pack the platform package', packPlatform)
  await step('P01: says how old a glibc the built addon runs on', glibc)
  await step('P02: require and import in an empty project, scripts off', useBoth)
  await step('P01: without the platform package there is one error with the remedy', withoutPlatform)
  await step('P03: types in an empty project, for require and import', types)
  await step('P03: attw', () => run(attw, [tarballs.root], work))
  await step('P03: publint', () => run(publint, ['--strict', tarballs.root], work))
  await step('P03: esbuild, the package kept external', bundleExternal)
  await step('P03: esbuild, the package bundled', bundleInside)
  await step('ya-syn programs run unchanged under the alias', alias)
  await step('N05: each of two vm contexts', vmContexts)
  await step('N05: jest, modules reset, no open handle', jest)
  await step('N05: vitest, in threads, forks and vm contexts', vitest)
  await step('N05: ava in worker threads', ava)
} finally {
  rmSync(work, { recursive: true, force: true })
}

function packRoot() {
  const { file, files } = pack(root)
  tarballs.root = file
  const unexpected = files.filter(
    (path) => !/^((index|fs|s3)\.(js|mjs|d\.ts|d\.mts)|native\.(js|d\.ts)|lib\/((fs|s3)\/)?[\w-]+\.js|package\.json|LICENSE|README[\w.]*\.md|CHANGELOG\.md)$/.test(path),
  )
  assert.deepEqual(unexpected, [], 'files that do not belong into the package')
  const needed = ['index.js', 'index.mjs', 'index.d.ts', 'index.d.mts', 'fs.js', 'fs.mjs', 'fs.d.ts', 'fs.d.mts', 's3.js', 's3.mjs', 's3.d.ts', 's3.d.mts', 'native.js', 'lib/native/binding.js', 'LICENSE', 'README.md']
  const missing = needed.filter((path) => !files.includes(path))
  assert.deepEqual(missing, [], 'files that are missing in the package')
}

function packPlatform() {
  const folder = join(work, tuple)
  cpSync(join(root, 'npm', tuple), folder, { recursive: true })
  cpSync(join(root, binary), join(folder, binary))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const { file, files } = pack(folder)
  tarballs.platform = file
  assert.deepEqual(files.sort(), ['LICENSE', 'README.md', 'package.json', binary].sort())
}

function glibc() {
  if (!tuple.endsWith('-gnu')) {
    return
  }
  // Releases are held to 2.28 by the release workflow, which builds against an old glibc.
  console.log(`  ${binary} needs glibc ${highestGlibc(join(root, binary))}`)
}

function useBoth() {
  const project = install('both', [tarballs.root, tarballs.platform])
  node(project, 'both.mjs', `
    import assert from 'node:assert/strict'
    import { createRequire } from 'node:module'
    import * as imported from 'ya-syn-native'
    const required = createRequire(import.meta.url)('ya-syn-native')
    for (const [name, value] of Object.entries(required)) {
      assert.equal(imported[name], value, name)
    }
    const provider = new imported.SynchronizerProvider()
    const lock = provider.createSynchronizer({ raiseOnReentrant: true })
    await assert.rejects(
      lock.synchronized(() => lock.synchronized(async () => {})),
      required.SynchronizerReentrantExecutionError,
    )
    assert.equal(await provider.forKey('key').synchronized(async () => 1), 1)
  `)
  node(project, 'require.cjs', `
    const { CoreSemaphore } = require('ya-syn-native')
    require('ya-syn-native/package.json')
    new CoreSemaphore(1).synchronized(async () => {})
  `)
}

function withoutPlatform() {
  const project = install('without', [tarballs.root])
  for (const [file, program] of [['a.cjs', `require('ya-syn-native')`], ['a.mjs', `import 'ya-syn-native'`]]) {
    writeFileSync(join(project, file), program)
    const { status, stderr } = spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8' })
    assert.equal(status, 1, file)
    for (const part of [`${process.platform} ${process.arch}`, binary, `${manifest.name}-${tuple}`, 'Remedy: ']) {
      assert.ok(stderr.includes(part), `${part} in: ${stderr}`)
    }
    assert.equal(stderr.split('Error: ').length - 1, 1, `one error in: ${stderr}`)
  }
}

function types() {
  const project = install('types', [tarballs.root, tarballs.platform])
  const program = `
    import { SynchronizerProvider, toTasks } from 'ya-syn-native'
    export async function main(): Promise<void> {
      const provider = new SynchronizerProvider()
      const guard = await provider.forKey('key').acquire({ timeout: 1 })
      guard.release()
      await provider.executeTasks({
        maxTasksInFlight: 1,
        taskSource: toTasks([1]),
        taskExecutor: async ({ task }) => void task.toFixed(),
      })
    }
  `
  for (const file of ['a.mts', 'b.cts']) {
    writeFileSync(join(project, file), program)
  }
  writeTsconfig(project, { noEmit: true })
  run(process.execPath, [tsc, '-p', '.'], project)
}

function bundleExternal() {
  const project = install('external', [tarballs.root, tarballs.platform])
  writeFileSync(join(project, 'main.mjs'), `
    import { CoreSemaphore } from 'ya-syn-native'
    new CoreSemaphore(1).synchronized(async () => console.log('ran'))
  `)
  for (const format of ['esm', 'cjs']) {
    const out = `out.${format === 'esm' ? 'mjs' : 'cjs'}`
    const options = ['--bundle', '--platform=node', `--format=${format}`, '--external:ya-syn-native', `--outfile=${out}`]
    run(esbuild, ['main.mjs', ...options], project)
    assert.equal(run(process.execPath, [out], project), 'ran')
  }
}

function bundleInside() {
  const project = install('inside', [tarballs.root, tarballs.platform])
  writeFileSync(join(project, 'main.mjs'), `
    import { CoreSemaphore } from 'ya-syn-native'
    new CoreSemaphore(1).synchronized(async () => console.log('ran'))
  `)
  run(esbuild, ['main.mjs', '--bundle', '--platform=node', '--loader:.node=copy', '--outdir=out'], project)
  rmSync(join(project, 'node_modules'), { recursive: true })
  assert.equal(run(process.execPath, ['out/main.js'], project), 'ran')
}

async function alias() {
  // As with "ya-syn": "npm:ya-syn-native", the package lies in node_modules/ya-syn under its own name.
  const project = install('alias', [`ya-syn@file:${tarballs.root}`, tarballs.platform])
  assert.ok(existsSync(join(project, 'node_modules/ya-syn/package.json')))
  for (const name of ['@types/node', 'undici-types']) {
    cpSync(join(root, 'node_modules', name), join(project, 'node_modules', name), { recursive: true })
  }
  for (const [type, extension] of [['commonjs', 'cts'], ['module', 'mts']]) {
    for (const name of Object.keys(examples)) {
      cpSync(join(root, 'examples', `${name}.ts`), join(project, type, `${name}.${extension}`))
    }
  }
  writeTsconfig(project, { outDir: 'out', types: ['node'] })
  run(process.execPath, [tsc, '-p', '.'], project)
  const store = await startS3Server()
  const { accessKeyId, secretAccessKey } = store.credentials
  const env = { ...process.env, S3_ENDPOINT: store.endpoint, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
  try {
    for (const [type, extension] of [['commonjs', 'cjs'], ['module', 'mjs']]) {
      for (const [name, expected] of Object.entries(examples)) {
        for (const suffix of ['tmp', 'log']) await store.seed({ bucket: 'logs', template: `2019/{i%12:02}/{i}.${suffix}`, count: 30 })
        assert.equal(run(process.execPath, [`out/${type}/${name}.${extension}`], project, env), expected)
      }
    }
  } finally {
    await store.stop()
  }
  assert.deepEqual(
    readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.ts')).sort(),
    Object.keys(examples).map((name) => `${name}.ts`).sort(),
    'each example is run here',
  )
}

/** A program that uses the package in all its parts; `same` is how it compares. */
function usage(same) {
  return `
    const same = ${same}
    const provider = new SynchronizerProvider({ providerId: 'shared', scope: 'process' })
    const lock = provider.forKey('key')
    const guard = await lock.acquire()
    const waiting = Promise.all([1, 2, 3].map((n) => lock.synchronized(async () => n)))
    const late = await lock.timeout(1).synchronized(async () => {}).catch((error) => error)
    same(late instanceof SynchronizerTimeoutError, true)
    guard.release()
    same((await waiting).join(), '1,2,3')
    let sum = 0
    await new SynchronizerProvider().executeTasks({
      maxTasksInFlight: 2,
      taskSource: toTasks([1, 2, 3]),
      taskExecutor: async ({ task }) => { sum += task },
    })
    same(sum, 6)
    const files = await readFilesToArray(listFiles('.', { glob: 'package.json' }), { encoding: 'utf8' })
    same(JSON.parse(files[0].data).private, true)
    ;(await lock.acquire()).release()
  `
}

function vmContexts() {
  const project = install('vm', [tarballs.root, tarballs.platform])
  writeFileSync(join(project, 'use.txt'), `(async (require, equal) => {
    const ${names} = require('ya-syn-native')
    const { listFiles, readFilesToArray } = require('ya-syn-native/fs')
    ${usage('equal')}
    return 'used'
  })`)
  const output = node(project, 'main.cjs', `
    const assert = require('node:assert/strict')
    const vm = require('node:vm')
    const program = require('node:fs').readFileSync('use.txt', 'utf8')
    const use = () => {
      for (const file of Object.keys(require.cache)) delete require.cache[file]
      return vm.runInNewContext(program)(require, assert.equal)
    }
    use().then(use).then(console.log)
  `)
  assert.equal(output, 'used')
}

function jest() {
  const project = installRunner('jest')
  for (const file of ['a', 'b', 'c']) {
    writeFileSync(join(project, `${file}.test.js`), `
      test.each([1, 2])('the package works (%i)', async () => {
        const ${names} = require('ya-syn-native')
        const { listFiles, readFilesToArray } = require('ya-syn-native/fs')
        ${usage('(value, expected) => expect(value).toBe(expected)')}
      })
    `)
  }
  writeFileSync(join(project, 'jest.config.js'), `module.exports = { resetModules: true, testEnvironment: 'node' }`)
  for (const options of [['--detectOpenHandles'], ['--runInBand'], ['--maxWorkers=2'], ['--maxWorkers=2', '--workerThreads']]) {
    const output = runTests(project, 'jest/bin/jest.js', options)
    assert.match(output, /Tests: +6 passed, 6 total/)
    assert.doesNotMatch(output, /open handle|did not exit|failed to exit/i)
  }
}

function vitest() {
  const project = installRunner('vitest')
  for (const file of ['a', 'b', 'c']) {
    writeFileSync(join(project, `${file}.test.mjs`), `
      import { expect, test } from 'vitest'
      import ${names} from 'ya-syn-native'
      import { listFiles, readFilesToArray } from 'ya-syn-native/fs'
      test.each([1, 2])('the package works (%i)', async () => {
        ${usage('(value, expected) => expect(value).toBe(expected)')}
      })
    `)
  }
  for (const pool of ['threads', 'forks', 'vmThreads', 'vmForks']) {
    const output = runTests(project, 'vitest/vitest.mjs', ['run', `--pool=${pool}`])
    assert.match(output, /Tests +6 passed/, pool)
    assert.doesNotMatch(output, /prevents .* from exiting|timed out|Unhandled/i, pool)
  }
}

function ava() {
  const project = installRunner('ava')
  for (const file of ['a', 'b', 'c']) {
    writeFileSync(join(project, `${file}.test.mjs`), `
      import test from 'ava'
      import ${names} from 'ya-syn-native'
      import { listFiles, readFilesToArray } from 'ya-syn-native/fs'
      for (const n of [1, 2]) {
        test('the package works ' + n, async t => {
          ${usage('t.is')}
        })
      }
    `)
  }
  writeFileSync(join(project, 'ava.config.mjs'), `export default { files: ['*.test.mjs'], workerThreads: true }`)
  assert.match(runTests(project, 'ava/entrypoints/cli.mjs', []), /6 tests passed/)
}

function installRunner(name) {
  return install(name, [tarballs.root, tarballs.platform, runners[name]])
}

/** All that a test runner prints; it fails unless all tests pass and it ends by itself. */
function runTests(project, program, options) {
  const args = [join(project, 'node_modules', program), ...options]
  const { status, signal, error, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' },
    killSignal: 'SIGKILL',
    timeout: PATIENCE,
  })
  assert.deepEqual([status, signal, error], [0, null, undefined], `${program} ${options.join(' ')}:\n${stdout}${stderr}`)
  return `${stdout}${stderr}`
}

/** Runs one check. The ones after a failed one build upon it, so a failure is the end. */
async function step(title, body) {
  const start = performance.now()
  try {
    await body()
  } catch (e) {
    console.log(`FAIL ${title}\n${e.message}`)
    rmSync(work, { recursive: true, force: true })
    process.exit(1)
  }
  console.log(`ok   ${title} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
}

/** The addon that was built here, and the platform that it is for. */
function builtAddon() {
  for (const { platformArchABI: tuple } of manifest.napi.targets.map(parseTriple)) {
    const binary = `${manifest.napi.binaryName}.${tuple}.node`
    if (existsSync(join(root, binary))) {
      return { tuple, binary }
    }
  }
  throw new Error(`no ${manifest.napi.binaryName}.*.node in ${root}: run "npm run build" first`)
}

function pack(folder) {
  const output = npm(['pack', '--ignore-scripts', '--json', '--pack-destination', work], folder)
  const [{ filename, files }] = Object.values(JSON.parse(output))
  return { file: join(work, basename(filename)), files: files.map(({ path }) => path) }
}

function install(name, packages) {
  const project = join(work, `project-${name}`)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, version: '1.0.0', private: true }))
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...packages], project)
  return project
}

function writeTsconfig(project, options) {
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({
    compilerOptions: {
      module: 'node16',
      target: 'es2022',
      lib: ['es2022'],
      types: [],
      strict: true,
      skipLibCheck: false,
      ...options,
    },
    exclude: ['out', 'node_modules'],
  }))
}

function node(project, file, program) {
  writeFileSync(join(project, file), program)
  return run(process.execPath, [file], project)
}

function npm(args, cwd) {
  return run('npm', args, cwd)
}

function run(command, args, cwd, env = process.env) {
  try {
    return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: 'pipe', shell: process.platform === 'win32' }).trim()
  } catch (e) {
    throw new Error(`${command} ${args.join(' ')} failed:\n${e.stdout}${e.stderr}`, { cause: e })
  }
}
