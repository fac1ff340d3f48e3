// Files at the edge of what is read, and a thousand rounds of large ones.
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { readFilesToArray } from '../../fs.mjs'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

const dir = mkdtempSync(join(tmpdir(), 'ya-syn-heavy-'))
test.after.always(() => rmSync(dir, { recursive: true, force: true }))

const TEN_MINUTES = 600_000

test.serial('a file of 2 GiB - 1 is read whole', async (t) => {
  t.timeout(TEN_MINUTES)
  const size = 2 ** 31 - 1
  const path = join(dir, 'largest')
  const file = openSync(path, 'w')
  ftruncateSync(file, size)
  writeSync(file, 'first', 0)
  writeSync(file, 'last', size - 4)
  closeSync(file)
  const [{ data, error }] = await readFilesToArray([path])
  t.is(error, undefined)
  t.is(data.length, size)
  t.is(data.toString('utf8', 0, 5), 'first')
  t.is(data.toString('utf8', size - 4), 'last')
  t.is(data.readUInt8(2 ** 30), 0)
})

test.serial('1,000 rounds of 100 files of 1 MB leave the RSS where the first half left it', async (t) => {
  t.timeout(TEN_MINUTES)
  const run = await runFixture('../fs/fixtures/memory.mjs', { args: [1000], timeout: TEN_MINUTES })
  assertCleanEnd(t, run)
  const { early, late } = run.result
  t.true(late < early * 1.2, `${early} and then ${late}`)
})
