// Starts the S3 test server as a child process that ends with this one, and talks to its paths for tests.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const here = fileURLToPath(new URL('.', import.meta.url))
const suffix = process.platform === 'win32' ? '.exe' : ''

/**
 * Starts a server on a free port of the loopback address.
 *
 * `options` are the command line's in camel case (`{ latencyList: 40, requireContentMd5: true, faults: 'file.json' }`);
 * `src/options.rs` describes them. What may change later goes through `configure()`.
 */
export async function startS3Server (options = {}) {
  const child = spawn(await binary(), ['--exit-with-stdin', ...toArguments(options)], {
    stdio: ['pipe', 'pipe', 'inherit']
  })
  const ended = once(child, 'exit')
  const { port, endpoint } = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([line]) => JSON.parse(line)),
    once(child, 'exit').then(([code, signal]) => {
      throw new Error(`The S3 test server ended with ${signal ?? `code ${code}`} before it listened`)
    })
  ])

  async function admin(method, path, body) {
    const response = await fetch(`${endpoint}/-/${path}`, { method, body: body && JSON.stringify(body) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`The S3 test server refuses ${path}: ${answer.error}`)
    return answer
  }

  return {
    port,
    endpoint,
    credentials: {
      accessKeyId: options.accessKey ?? 'test-access-key',
      secretAccessKey: options.secretKey ?? 'test-secret-key'
    },
    /** Counters: see `src/load/stats.rs`. */
    stats: () => admin('GET', 'stats'),
    /** Forgets everything, or with `{ only: 'stats' }` the counters. */
    reset: ({ only } = {}) => admin('POST', only === undefined ? 'reset' : `reset?only=${only}`),
    /** Makes many keys at once: see `src/seed.rs`. */
    seed: seed => admin('POST', 'seed', seed),
    /** Replaces the scripted faults: see `src/load/faults.rs`. */
    faults: faults => admin('POST', 'faults', faults),
    /** Changes settings. */
    configure: settings => admin('POST', 'config', settings),
    /** Adds credentials: see `src/auth/credentials.rs`. */
    addCredentials: credentials => admin('POST', 'credentials', credentials),
    /** Buckets that answer amiss by a seed: see `src/hostile/mod.rs`. */
    hostile: {
      make: setup => admin('POST', 'hostile', setup),
      report: bucket => admin('GET', `hostile?bucket=${bucket}`),
      forget: bucket => admin('DELETE', `hostile?bucket=${bucket}`),
      strays: () => admin('GET', 'hostile/strays')
    },
    /** Ends the server and waits until it is gone. */
    async stop() {
      child.stdin.end()
      await ended
    }
  }
}

function toArguments(options) {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => {
      const flag = `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
      return value === true ? flag : `${flag}=${value}`
    })
}

// One build for all servers of this process, which may start at once.
let built

function binary() {
  built ??= findOrBuild()
  return built
}

async function findOrBuild() {
  const { stdout } = await run('cargo', ['metadata', '--format-version', '1', '--no-deps'])
  const path = join(JSON.parse(stdout).target_directory, 'tools', `s3-server${suffix}`)
  if (!isFresh(path)) {
    console.error('Building the S3 test server (cargo build -p s3-server --profile tools) …')
    await run('cargo', ['build', '-p', 's3-server', '--profile', 'tools'])
  }
  return path
}

// Asking cargo would take a lock that a build elsewhere may hold for minutes.
function isFresh(path) {
  if (!existsSync(path)) return false
  const sources = readdirSync(join(here, 'src'), { recursive: true }).map(name => join(here, 'src', name))
  const changed = [join(here, 'Cargo.toml'), ...sources].map(source => statSync(source).mtimeMs)
  return statSync(path).mtimeMs >= Math.max(...changed)
}

async function run(command, args) {
  try {
    return await promisify(execFile)(command, args, { cwd: here, maxBuffer: 64 << 20 })
  } catch (error) {
    const remedy = error.code === 'ENOENT' ? ': install Rust, which brings it' : `:\n${error.stderr}`
    throw new Error(`${[command, ...args].join(' ')} failed${remedy}`, { cause: error })
  }
}
