// The folder in which the package is packed, installed and used, and the commands that do it.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseTriple } from '@napi-rs/cli'

const require = createRequire(import.meta.url)
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const manifest = require('../../package.json')
export const tsc = require.resolve('typescript/lib/tsc.js')
/** The folder of everything that is made here. */
export const work = mkdtempSync(join(tmpdir(), 'ya-syn-package-'))
/** The packed packages, `root` and `platform`, once they are packed. */
export const tarballs = {}
/** Milliseconds for one run of a test runner, which is to end by itself. */
const PATIENCE = 120_000

/** Runs one check. The ones after a failed one build upon it, so a failure is the end. */
export async function step(title, body) {
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
export function builtAddon() {
  for (const { platformArchABI: tuple } of manifest.napi.targets.map(parseTriple)) {
    const binary = `${manifest.napi.binaryName}.${tuple}.node`
    if (existsSync(join(root, binary))) {
      return { tuple, binary }
    }
  }
  throw new Error(`no ${manifest.napi.binaryName}.*.node in ${root}: run "npm run build" first`)
}

export function pack(folder) {
  const output = npm(['pack', '--ignore-scripts', '--json', '--pack-destination', work], folder)
  const [{ filename, files }] = Object.values(JSON.parse(output))
  return { file: join(work, basename(filename)), files: files.map(({ path }) => path) }
}

export function install(name, packages) {
  const project = join(work, `project-${name}`)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, version: '1.0.0', private: true }))
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...packages], project)
  return project
}

export function writeTsconfig(project, options) {
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
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
    }),
  )
}

export function node(project, file, program) {
  writeFileSync(join(project, file), program)
  return run(process.execPath, [file], project)
}

/** All that a test runner prints; it fails unless all tests pass and it ends by itself. */
export function runTests(project, program, options) {
  const args = [join(project, 'node_modules', program), ...options]
  const { status, signal, error, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', NODE_OPTIONS: '' },
    killSignal: 'SIGKILL',
    timeout: PATIENCE,
  })
  assert.deepEqual(
    [status, signal, error],
    [0, null, undefined],
    `${program} ${options.join(' ')}:\n${stdout}${stderr}`,
  )
  return `${stdout}${stderr}`
}

function npm(args, cwd) {
  return run('npm', args, cwd)
}

export function run(command, args, cwd, env = process.env) {
  try {
    return execFileSync(command, args, {
      cwd,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
      shell: process.platform === 'win32',
    }).trim()
  } catch (e) {
    throw new Error(`${command} ${args.join(' ')} failed:\n${e.stdout}${e.stderr}`, { cause: e })
  }
}
