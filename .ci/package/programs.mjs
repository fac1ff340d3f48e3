// Programs that use the installed package: by require and import, by types, in bundles, and under ya-syn's name.
import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startS3Server } from '../../tools/s3-server/start.mjs'
import { install, node, root, run, tarballs, tsc, writeTsconfig } from './workspace.mjs'

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

export function useBoth() {
  const project = install('both', [tarballs.root, tarballs.platform])
  node(
    project,
    'both.mjs',
    `
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
  `,
  )
  node(
    project,
    'require.cjs',
    `
    const { CoreSemaphore } = require('ya-syn-native')
    require('ya-syn-native/package.json')
    new CoreSemaphore(1).synchronized(async () => {})
  `,
  )
}

export function types() {
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

export function bundleExternal() {
  const project = install('external', [tarballs.root, tarballs.platform])
  writeFileSync(
    join(project, 'main.mjs'),
    `
    import { CoreSemaphore } from 'ya-syn-native'
    new CoreSemaphore(1).synchronized(async () => console.log('ran'))
  `,
  )
  for (const format of ['esm', 'cjs']) {
    const out = `out.${format === 'esm' ? 'mjs' : 'cjs'}`
    const options = [
      '--bundle',
      '--platform=node',
      `--format=${format}`,
      '--external:ya-syn-native',
      `--outfile=${out}`,
    ]
    run(esbuild, ['main.mjs', ...options], project)
    assert.equal(run(process.execPath, [out], project), 'ran')
  }
}

export function bundleInside() {
  const project = install('inside', [tarballs.root, tarballs.platform])
  writeFileSync(
    join(project, 'main.mjs'),
    `
    import { CoreSemaphore } from 'ya-syn-native'
    new CoreSemaphore(1).synchronized(async () => console.log('ran'))
  `,
  )
  run(esbuild, ['main.mjs', '--bundle', '--platform=node', '--loader:.node=copy', '--outdir=out'], project)
  rmSync(join(project, 'node_modules'), { recursive: true })
  assert.equal(run(process.execPath, ['out/main.js'], project), 'ran')
}

export async function alias() {
  // As with "ya-syn": "npm:ya-syn-native", the package lies in node_modules/ya-syn under its own name.
  const project = install('alias', [`ya-syn@file:${tarballs.root}`, tarballs.platform])
  assert.ok(existsSync(join(project, 'node_modules/ya-syn/package.json')))
  for (const name of ['@types/node', 'undici-types']) {
    cpSync(join(root, 'node_modules', name), join(project, 'node_modules', name), { recursive: true })
  }
  for (const [type, extension] of [
    ['commonjs', 'cts'],
    ['module', 'mts'],
  ]) {
    for (const name of Object.keys(examples)) {
      cpSync(join(root, 'examples', `${name}.ts`), join(project, type, `${name}.${extension}`))
    }
  }
  writeTsconfig(project, { outDir: 'out', types: ['node'] })
  run(process.execPath, [tsc, '-p', '.'], project)
  const store = await startS3Server()
  const { accessKeyId, secretAccessKey } = store.credentials
  const env = {
    ...process.env,
    S3_ENDPOINT: store.endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  }
  try {
    for (const [type, extension] of [
      ['commonjs', 'cjs'],
      ['module', 'mjs'],
    ]) {
      for (const [name, expected] of Object.entries(examples)) {
        for (const suffix of ['tmp', 'log'])
          await store.seed({ bucket: 'logs', template: `2019/{i%12:02}/{i}.${suffix}`, count: 30 })
        assert.equal(run(process.execPath, [`out/${type}/${name}.${extension}`], project, env), expected)
      }
    }
  } finally {
    await store.stop()
  }
  assert.deepEqual(
    readdirSync(join(root, 'examples'))
      .filter((file) => file.endsWith('.ts'))
      .sort(),
    Object.keys(examples)
      .map((name) => `${name}.ts`)
      .sort(),
    'each example is run here',
  )
}
