// The repository stays readable: files that fit into a head, and words that need no tracker beside them.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const root = new URL('../../', import.meta.url)
const WITHOUT_LIMIT = /(^|\/)(Cargo\.lock|package-lock\.json|[^/]*\.md)$/
const BINARY = /\.(gz|ico|jpe?g|node|png)$/

const inClone = existsSync(new URL('.git', root)) ? test : test.skip
const texts = () =>
  execFileSync('git', ['ls-files'], { cwd: fileURLToPath(root), encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !WITHOUT_LIMIT.test(file) && !BINARY.test(file) && existsSync(new URL(file, root)))
    .map((file) => ({ file, lines: readFileSync(new URL(file, root), 'utf8').trimEnd().split('\n') }))

inClone('no file is longer than 400 lines, but for lock files and documents', (t) => {
  const long = texts().filter(({ lines }) => lines.length > 400)
  t.deepEqual(
    long.map(({ file, lines }) => `${file}: ${lines.length}`),
    [],
  )
})

inClone('no comment and no title speaks of the number of an issue', (t) => {
  const told = texts().flatMap(({ file, lines }) =>
    lines.flatMap((line, at) =>
      /(\/\/|#|\*|\btest|\bserial).*\b(issue|ticket|PR) ?#?\d+\b/i.test(line) ? [`${file}:${at + 1}`] : [],
    ),
  )
  t.deepEqual(told, [])
})
