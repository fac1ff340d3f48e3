// Tries seeds in a process of its own, so that a panic on its standard error, a crash and a hang are seen as well.
import { fork } from 'node:child_process'

const worker = new URL('./worker.mjs', import.meta.url)

/**
 * Tries cases, `{ seed }` each, and resolves to `{ tried, failures, elapsed }`.
 *
 * A failure is `{ seed, wrong }` with the wrong facts, and what helps to understand them. `env` adds to the environment, and `bound` is how
 * long all of it may take, in milliseconds.
 */
export async function tryCases(cases, { concurrency = 24, env = {}, bound = 600_000, onFailure = () => {} } = {}) {
  const started = performance.now()
  const child = fork(worker, { stdio: ['ignore', 'inherit', 'pipe', 'ipc'], env: { ...process.env, ...env } })
  const running = new Set()
  const failures = []
  let tried = 0
  let isOver = false
  const fail = (failure) => {
    failures.push(failure)
    onFailure(failure)
  }
  // What concerns no seed in particular happened while these were tried.
  const failAmong = (fact) => fail({ seed: [...running].join(', ') || 'none', wrong: [fact] })
  child.on('message', ({ began, ended, stray, over, ...result }) => {
    if (began !== undefined) running.add(began)
    if (stray !== undefined) failAmong(stray)
    if (over) isOver = true
    if (ended === undefined) return
    running.delete(ended)
    tried++
    if (result.wrong.length > 0) fail({ seed: ended, ...result })
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    if (text.includes('panicked at')) failAmong(`a panic: ${text.trim()}`)
    else process.stderr.write(text)
  })
  const timer = setTimeout(() => {
    failAmong(`not over after ${bound / 1000} s`)
    child.kill('SIGKILL')
  }, bound)
  child.send({ cases, concurrency })
  const [code, signal] = await new Promise((resolve) => child.once('close', (...end) => resolve(end)))
  clearTimeout(timer)
  if (!isOver) failAmong(`the process ended with ${signal ?? `code ${code}`} before all were tried`)
  return { tried, failures, elapsed: performance.now() - started }
}
