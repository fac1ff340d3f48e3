// where JavaScript may not see memory of others, as in Electron, data is copied.
//
// No build of Node.js is so, but the addon finds the functions of Node-API by their names. So a copy of this Node.js has one of
// them under another name, and a library in front of it has that one as Electron does: it refuses.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

const folder = mkdtempSync(join(tmpdir(), 'ya-syn-no-external-'))
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

const NAME = 'napi_create_external_buffer'
/** `napi_no_external_buffers_allowed` */
const REFUSED = 22

function nodeWithoutTheFunction() {
  const program = readFileSync(process.execPath)
  const name = Buffer.from(`\0${NAME}\0`)
  const places = []
  for (let at = program.indexOf(name); at >= 0; at = program.indexOf(name, at + 1)) places.push(at)
  for (const at of places) program[at + 1] = 'X'.charCodeAt(0)
  const copy = join(folder, 'node')
  writeFileSync(copy, program)
  chmodSync(copy, 0o755)
  return { copy, places: places.length }
}

function libraryThatRefuses() {
  const [source, library] = [join(folder, 'refuse.c'), join(folder, 'refuse.so')]
  writeFileSync(source, `int ${NAME}(void) { return ${REFUSED}; }\n`)
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, source])
  return library
}

const onLinux = process.platform === 'linux' ? test : test.skip
onLinux('without external buffers a large file and an empty one are whole, usable Buffers', async (t) => {
  t.timeout(60_000)
  const { copy, places } = nodeWithoutTheFunction()
  t.true(places > 0)
  const without = await runFixture('../fs/fixtures/buffers.mjs', { node: copy })
  t.not(without.code, 0, 'nobody else has the function')
  const run = await runFixture('../fs/fixtures/buffers.mjs', { node: copy, env: { LD_PRELOAD: libraryThatRefuses() } })
  assertCleanEnd(t, run)
  t.deepEqual(run.result, { begins: 'axca', joined: 2_000_000, cloned: 1_000_000, moved: true, left: 0, none: 0 })
})
