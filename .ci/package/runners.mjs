// Test runners that load the package into vm contexts, threads and processes, and reset modules.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { install, node, runTests, tarballs } from './workspace.mjs'

// Majors that run on every Node.js that the package supports.
const runners = { jest: 'jest@30', vitest: 'vitest@3', ava: 'ava@7' }
/** What `usage` needs of the package. */
const names = '{ SynchronizerProvider, SynchronizerTimeoutError, toTasks }'

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

export function vmContexts() {
  const project = install('vm', [tarballs.root, tarballs.platform])
  writeFileSync(
    join(project, 'use.txt'),
    `(async (require, equal) => {
    const ${names} = require('ya-syn-native')
    const { listFiles, readFilesToArray } = require('ya-syn-native/fs')
    ${usage('equal')}
    return 'used'
  })`,
  )
  const output = node(
    project,
    'main.cjs',
    `
    const assert = require('node:assert/strict')
    const vm = require('node:vm')
    const program = require('node:fs').readFileSync('use.txt', 'utf8')
    const use = () => {
      for (const file of Object.keys(require.cache)) delete require.cache[file]
      return vm.runInNewContext(program)(require, assert.equal)
    }
    use().then(use).then(console.log)
  `,
  )
  assert.equal(output, 'used')
}

export function jest() {
  const project = installRunner('jest')
  for (const file of ['a', 'b', 'c']) {
    writeFileSync(
      join(project, `${file}.test.js`),
      `
      test.each([1, 2])('the package works (%i)', async () => {
        const ${names} = require('ya-syn-native')
        const { listFiles, readFilesToArray } = require('ya-syn-native/fs')
        ${usage('(value, expected) => expect(value).toBe(expected)')}
      })
    `,
    )
  }
  writeFileSync(join(project, 'jest.config.js'), `module.exports = { resetModules: true, testEnvironment: 'node' }`)
  for (const options of [
    ['--detectOpenHandles'],
    ['--runInBand'],
    ['--maxWorkers=2'],
    ['--maxWorkers=2', '--workerThreads'],
  ]) {
    const output = runTests(project, 'jest/bin/jest.js', options)
    assert.match(output, /Tests: +6 passed, 6 total/)
    assert.doesNotMatch(output, /open handle|did not exit|failed to exit/i)
  }
}

export function vitest() {
  const project = installRunner('vitest')
  for (const file of ['a', 'b', 'c']) {
    writeFileSync(
      join(project, `${file}.test.mjs`),
      `
      import { expect, test } from 'vitest'
      import ${names} from 'ya-syn-native'
      import { listFiles, readFilesToArray } from 'ya-syn-native/fs'
      test.each([1, 2])('the package works (%i)', async () => {
        ${usage('(value, expected) => expect(value).toBe(expected)')}
      })
    `,
    )
  }
  for (const pool of ['threads', 'forks', 'vmThreads', 'vmForks']) {
    const output = runTests(project, 'vitest/vitest.mjs', ['run', `--pool=${pool}`])
    assert.match(output, /Tests +6 passed/, pool)
    assert.doesNotMatch(output, /prevents .* from exiting|timed out|Unhandled/i, pool)
  }
}

export function ava() {
  const project = installRunner('ava')
  for (const file of ['a', 'b', 'c']) {
    writeFileSync(
      join(project, `${file}.test.mjs`),
      `
      import test from 'ava'
      import ${names} from 'ya-syn-native'
      import { listFiles, readFilesToArray } from 'ya-syn-native/fs'
      for (const n of [1, 2]) {
        test('the package works ' + n, async t => {
          ${usage('t.is')}
        })
      }
    `,
    )
  }
  writeFileSync(join(project, 'ava.config.mjs'), `export default { files: ['*.test.mjs'], workerThreads: true }`)
  assert.match(runTests(project, 'ava/entrypoints/cli.mjs', []), /6 tests passed/)
}

function installRunner(name) {
  return install(name, [tarballs.root, tarballs.platform, runners[name]])
}
