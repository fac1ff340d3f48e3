// readFiles against Node.js's own readFile, on random trees and random options.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { readFiles, readFilesToArray } from '../../fs.mjs'
import { outcome } from '../helpers/async.mjs'

/** A seeded generator, so that a failure can be repeated. */
function generator(seed) {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Grows a tree, and returns paths into it, some of which lead nowhere. */
function grow(root, random) {
  const folders = [root]
  const paths = []
  for (let i = 0; i < 120; i++) {
    const folder = folders[random(folders.length)]
    const path = join(folder, ['a', 'ü', ' ', '\u{1f600}', '-'][random(5)].repeat(1 + random(3)) + i)
    const kind = random(10)
    if (kind === 0) mkdirSync(path)
    else if (kind === 1) symlinkSync(paths.length > 0 ? paths[random(paths.length)].text : 'nowhere', path)
    else if (kind > 2)
      writeFileSync(
        path,
        Buffer.alloc([random(200), random(70_000), random(500_000)][random(3) % (1 + random(3))], `${i} é`),
      )
    if (kind === 0) folders.push(path)
    const text = random(20) === 0 ? join(path, 'below') : path
    paths.push({ text, given: [text, Buffer.from(text), pathToFileURL(text)][random(3)] })
  }
  return paths.map(({ given }) => given).concat(paths.slice(0, 5).map(({ given }) => given))
}

for (let seed = 1; seed <= 12; seed++) {
  test(`random tree ${seed}`, async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'ya-syn-tree-'))
    t.teardown(() => rmSync(root, { recursive: true, force: true }))
    const random = generator(seed)
    const paths = grow(root, random)
    const encoding = [undefined, 'utf8', 'latin1'][random(3)]
    const expected = await Promise.all(paths.map((path) => outcome(() => readFile(path, encoding))))
    const options = {
      encoding,
      errors: 'yield',
      maxFilesInFlight: 1 + random(50),
      maxBytesInFlight: 1 + random(1_000_000),
    }
    const same = ({ path, data, error }, index) => {
      t.is(path, paths[index])
      const { value, reason } = expected[index]
      if (reason === undefined) t.true(encoding === undefined ? value.equals(data) : value === data, String(path))
      else t.is(error.message, reason.message)
    }
    let index = 0
    for await (const file of readFiles(paths, options)) same(file, index++)
    t.is(index, paths.length)
    const array = await readFilesToArray(paths, options)
    t.is(array.length, paths.length)
    array.forEach(same)
    const unordered = []
    for await (const { path } of readFiles(paths, { ...options, ordered: false })) unordered.push(path)
    t.deepEqual(unordered.map(String).sort(), paths.map(String).sort())
  })
}
