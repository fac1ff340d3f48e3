// The demos, as a user runs them, with small numbers.
import test from 'ava'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

// The first run builds the store that the demo deletes from.
const BUILD_MS = 20 * 60_000

function run(demo, ...args) {
  return runFixture(`../../demo/${demo}.mjs`, { args, timeout: BUILD_MS })
}

/** The rows of the table: name, then the figures by the name of their column. */
function rowsOf(stdout) {
  const cells = (line) => line.split(/ {2,}/)
  const lines = stdout.split('\n')
  const start = lines.findIndex((line) => line.startsWith('way '))
  const [, ...columns] = cells(lines[start])
  const rows = lines.slice(start + 1, lines.indexOf('', start)).map(cells)
  return new Map(
    rows.map(([name, ...figures]) => [
      name,
      Object.fromEntries(columns.map((column, index) => [column, Number.parseFloat(figures[index].replace(',', ''))])),
    ]),
  )
}

test('the demo of deletes empties the bucket in each way and tells what each took', async (t) => {
  t.timeout(BUILD_MS)
  const ended = await run(
    'delete-objects',
    '--objects',
    2000,
    '--sample',
    10,
    '--latency-list',
    5,
    '--latency-delete',
    20,
  )
  assertCleanEnd(t, ended)
  t.true(ended.stdout.includes('Checked: after each way the bucket was listed, and no key was left.'), ended.stdout)
  const rows = rowsOf(ended.stdout)
  const isNative = (name) => name.includes('native')
  t.deepEqual(
    [...rows].filter(([name]) => !isNative(name)).map(([name, { requests }]) => [name, requests]),
    [
      ['DeleteObject, one at a time', 11],
      ['DeleteObjects per page, in sequence', 4],
      ['executeTasks, 1000 in flight, 50 in execution', 4],
      // 16 prefixes of 125 keys: each page of 1,000 holds 8.
      ['executeTasks, forKey(prefix, 2) around 50', 18],
      // A batch of 250 holds 2.
      ['the same, pages re-cut to 250 keys', 18],
    ],
  )
  t.deepEqual([...rows.keys()].filter(isNative), [
    'executeTasks, native listKeys and deleteObjects',
    'native deletePrefix',
  ])
  for (const [name, row] of rows) {
    t.true(row['keys/s'] > 0 && row['ms/key'] > 0, name)
    const inSequence = !/executeTasks|same|native/.test(name)
    // Two pages and their deletes; looking for ranges to list at once may take some on top.
    if (isNative(name)) t.true(row.requests >= 4, name)
    t.is(row['peak in flight'] === 1, inSequence, name)
  }
  t.is(rows.get('DeleteObjects per page, in sequence').ratio, 1)
  for (const name of rows.keys()) t.true(ended.stderr.includes(`${name} …\n`), 'a line per way')
})

test('without latency the demo says that there is nothing to gain', async (t) => {
  t.timeout(BUILD_MS)
  const ended = await run('delete-objects', '--objects', 20, '--sample', 1, '--latency-list', 0, '--latency-delete', 0)
  assertCleanEnd(t, ended)
  t.true(ended.stdout.includes('without latency there is nothing for concurrency to gain'), ended.stdout)
})

test('the demo of files reads each number once in each way', async (t) => {
  const ended = await run('read-files', '--files', 120)
  assertCleanEnd(t, ended)
  t.true(ended.stdout.includes('Checked: after each way the sum of the numbers read was right.'), ended.stdout)
  t.deepEqual(
    [...rowsOf(ended.stdout)].map(([name, row]) => [name, row.reads, row['peak in flight']]),
    [
      ['await in a loop', 120, 1],
      ['Promise.all', 120, 120],
      ['executeTasks, 50 in execution', 120, 50],
      ['mapAll, 50 in execution', 120, 50],
      ['native readFiles', 120, 0],
    ],
  )
})

for (const demo of ['delete-objects', 'read-files']) {
  test(`${demo} has help and refuses bad options`, async (t) => {
    const help = await run(demo, '--help')
    assertCleanEnd(t, help)
    t.regex(help.stdout, /^Usage: npm run demo/)
    const bad = await run(demo, '--bad')
    t.is(bad.code, 2)
    t.regex(bad.stderr, /'--bad'.*--help/s)
    t.is(bad.stdout, '')
  })
}
