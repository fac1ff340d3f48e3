// Runs a command and tells what it took: the whole of it, start included.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

// A shell adds up the CPU time of its children, and nothing else of the system tells it to Node.js.
const SCRIPT = '"$@"; code=$?; times; exit $code'
const POLL_MS = 5
const TIMEOUT_MS = 600_000

/** Resolves to `{ seconds, cpuSeconds, rss }`; `rss` is there on Linux alone. */
async function measureCommand({ command, env }) {
  const start = performance.now()
  const shell = spawn('sh', ['-c', SCRIPT, 'sh', ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  })
  let rss
  const poll = setInterval(() => {
    rss = Math.max(rss ?? 0, peakOf(shell.pid)) || undefined
  }, POLL_MS)
  const [[code, signal], out, errors] = await Promise.all([once(shell, 'exit'), text(shell.stdout), text(shell.stderr)])
  clearInterval(poll)
  if (code !== 0) throw new Error(`${command[0]} ended with ${signal ?? `code ${code}`}: ${errors || out}`)
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: childrenTime(out), rss }
}

/** The last line that `times` prints: user and system time of the children, such as 1m2.345s. */
function childrenTime(out) {
  const lastLine = out.trimEnd().split('\n').at(-1)
  const times = lastLine.matchAll(/(\d+)m([\d.]+)s/g)
  return [...times].reduce((sum, [, minutes, seconds]) => sum + 60 * minutes + Number(seconds), 0)
}

/** The most memory that a process below the shell has had, in bytes: a command may be a script that starts the tool. */
function peakOf(parent) {
  try {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean)
    return Math.max(0, ...children.map((child) => Math.max(memoryOf(child), peakOf(child))))
  } catch {
    // Not begun yet, or over already.
    return 0
  }
}

function memoryOf(process) {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))
  return 1024 * kilobytes
}

export { measureCommand }
