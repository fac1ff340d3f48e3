// The newest glibc that a Linux binary asks for. As a program: `node .ci/highest-glibc.mjs 2.28 FILE...` fails if one
// of the files asks for a newer one.
import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'

/** @returns {string} such as '2.28' */
export function highestGlibc(file) {
  const symbols = execFileSync('readelf', ['--version-info', '--wide', file], { encoding: 'utf8', maxBuffer: 1 << 28 })
  const versions = [...symbols.matchAll(/\bGLIBC_(\d+(?:\.\d+)+)/g)].map(([, version]) => version)
  return versions.sort(compare).at(-1)
}

function compare(a, b) {
  return a.localeCompare(b, 'en', { numeric: true })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [limit, ...files] = process.argv.slice(2)
  for (const file of files) {
    const highest = highestGlibc(file)
    const fits = compare(highest, limit) <= 0
    console.log(`${fits ? 'ok  ' : 'FAIL'} ${file} needs glibc ${highest}, the limit is ${limit}`)
    process.exitCode ||= fits ? 0 : 1
  }
}
