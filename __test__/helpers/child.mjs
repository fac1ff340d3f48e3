// Runs a fixture in a process of its own, for promises about a whole process: that it ends, that signals reach it,
// how much memory it keeps, and that no rejection goes unhandled.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const fixtures = new URL('../fixtures/', import.meta.url)
const recorder = new URL('./record-unhandled.mjs', import.meta.url).href
const marker = 'unhandledRejection: '

/**
 * Starts `fixtures/<name>`. `whenPrinted(line, child)` sees each line of standard output as it comes.
 * Resolves, whatever the process does, with how it ended, what it printed, its unhandled rejections, and
 * `result`: its last line of standard output, as JSON.
 */
export function runFixture(
  name,
  { node = process.execPath, args = [], nodeArgs = [], env = {}, timeout = 60_000, whenPrinted = () => {} } = {},
) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn(
      node,
      ['--import', recorder, ...nodeArgs, fileURLToPath(new URL(name, fixtures)), ...args.map(String)],
      { env: { ...process.env, NODE_OPTIONS: '', ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let stdout = ''
    let stderr = ''
    let unread = ''
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk
      const lines = (unread + chunk).split('\n')
      unread = lines.pop()
      for (const line of lines) whenPrinted(line, child)
    })
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      stderr += chunk
    })
    let timedOut = false
    const killer = setTimeout(() => {
      timedOut = true
      child.kill('SIGKILL')
    }, timeout)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(killer)
      const lines = stdout.trim().split('\n')
      resolve({
        code,
        signal,
        timedOut,
        stdout,
        stderr,
        ms: performance.now() - started,
        unhandled: stderr.split('\n').filter((line) => line.startsWith(marker)),
        get result() {
          return JSON.parse(lines.at(-1))
        },
      })
    })
  })
}

/** The process ended by itself, with code 0 and without an unhandled rejection. */
export function assertCleanEnd(t, run) {
  const { code, signal, timedOut, unhandled } = run
  t.deepEqual(
    { code, signal, timedOut, unhandled },
    { code: 0, signal: null, timedOut: false, unhandled: [] },
    run.stderr,
  )
}
