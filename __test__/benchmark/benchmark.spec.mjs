// The command line of the benchmarks, and whether every scenario has what the runner asks of it. Nothing is measured here.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { judge } from '../../benchmark/judge.mjs'
import { atLeast, below, times } from '../../benchmark/required.mjs'
import { findGroups, loadGroup } from '../../benchmark/scenarios.mjs'

const main = fileURLToPath(new URL('../../benchmark/main.mjs', import.meta.url))
const bench = (...args) => promisify(execFile)(process.execPath, [main, ...args])

for (const group of findGroups()) {
  test(`the benchmarks of ${group} name every scenario in their help, and each has rows, columns and a measure`, async (t) => {
    const scenarios = await loadGroup(group)
    const { stdout } = await bench(group, '--help')
    for (const { name, title, rows, columns, calls, measure, required } of scenarios) {
      t.true(stdout.includes(`  ${name} `) && stdout.includes(title), name)
      t.true(
        rows.length > 0 && columns.every((column) => column.over === undefined || rows.includes(column.over)),
        name,
      )
      t.true(Number.isInteger(calls) && typeof measure === 'function', name)
      for (const line of required) t.is(line.measure({}, () => ({})) || undefined, undefined, line.claim)
    }
  })
}

test('a bad option of a benchmark is named, with the remedy', async (t) => {
  await t.throwsAsync(bench('locks', '--only', 'nothing'), {
    message: /--only 'nothing' names no scenario; there are free-key/,
  })
  await t.throwsAsync(bench('s3', '--objects', '0'), { message: /--objects takes a whole number from 1 up, not '0'/ })
  await t.throwsAsync(bench('nothing'), { message: /There is no group 'nothing'; there are files, locks, s3, workers/ })
})

test('a ratio is taken within a round, and what no round measured is neither met nor missed', (t) => {
  const required = [
    { claim: 'faster', ...atLeast(2, 'x'), measure: times('peer', 'product', 'ms') },
    { claim: 'unknown', ...below(1), measure: times('absent', 'product', 'ms') },
    { claim: 'elsewhere', context: 'als', ...below(1), measure: () => 0 },
  ]
  const samples = { product: [{ ms: 1 }, { ms: 100 }, { ms: 1 }], peer: [{ ms: 3 }, { ms: 300 }, undefined] }
  const verdicts = judge([{ id: 'x', context: 'plain', scenario: { required }, samples }])
  t.deepEqual(
    verdicts.map(({ claim, measured, met }) => [claim, measured, met]),
    [
      ['faster', 3, true],
      ['unknown', undefined, undefined],
    ],
  )
})
