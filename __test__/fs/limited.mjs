// Runs a fixture of this folder in a process with few descriptors.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Resolves as `runFixture` does. */
export function runLimited(name, descriptors) {
  const fixture = fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
  return new Promise((resolve, reject) => {
    const command = `ulimit -n ${descriptors} && exec "$0" "$1"`
    const child = spawn('sh', ['-c', command, process.execPath, fixture], { stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const result = code === 0 ? JSON.parse(stdout) : undefined
      resolve({ code, signal, stderr, result, timedOut: false, unhandled: [] })
    })
  })
}
