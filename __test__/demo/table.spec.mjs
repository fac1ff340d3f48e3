// The parts that the demos share: options, table, progress.
import test from 'ava'
import { helpText, parseOptions } from '../../demo/lib/options.mjs'
import { startProgress } from '../../demo/lib/progress.mjs'
import { table } from '../../demo/lib/table.mjs'

const spec = {
  count: { value: 7, min: 1, unit: 'N', about: 'how many' },
  wait: { value: 1.5, min: 0, fraction: true, unit: 'MS', about: 'how long' },
}

test('options have defaults and take what fits', (t) => {
  t.deepEqual(parseOptions([], spec), { count: 7, wait: 1.5 })
  t.deepEqual(parseOptions(['--count', '1', '--wait=0.25'], spec), { count: 1, wait: 0.25 })
  t.is(parseOptions(['--help'], spec), undefined)
  t.is(
    helpText({ command: 'run', about: 'Does it.', spec }),
    `Usage: run -- [options]

Does it.

  --count N  how many (default 7)
  --wait MS  how long (default 1.5)
  --help     this text
`,
  )
})

for (const [args, word] of [
  [['--count', '0'], "--count takes a whole number from 1 up, not '0'"],
  [['--count', '1.5'], "not '1.5'"],
  [['--count', 'many'], "not 'many'"],
  [['--count', ' '], "not ' '"],
  [['--wait=-1'], "--wait takes a number from 0 up, not '-1'"],
  [['--wait=Infinity'], "not 'Infinity'"],
  [['--cuont', '1'], '--cuont'],
  [['--count'], '--count'],
  [['file'], 'file'],
]) {
  test(`a bad option is named: ${JSON.stringify(args)}`, (t) => {
    const error = t.throws(() => parseOptions(args, spec), { code: 'BAD_OPTION' })
    t.true(error.message.includes(word), error.message)
  })
}

test('a table shows rates and ratios, in figures and as bars', (t) => {
  const rows = [
    { name: 'slow', items: 10, ms: 10_000, requests: 10, peak: 1 },
    { name: 'plain', items: 1000, ms: 1000, requests: 2, peak: 1 },
    { name: 'fast', items: 4000, ms: 1000, requests: 1234, peak: 50 },
  ]
  t.is(
    table({ rows, item: 'key', request: 'request', baseline: 'plain' }),
    `\
way    keys/s  ms/key  requests  peak in flight   ratio
slow        1   1,000        10               1  0.001x  ▏
plain   1,000       1         2               1      1x  ██████
fast    4,000    0.25     1,234              50      4x  ████████████████████████
`,
  )
})

test('progress is a changing line on a terminal and one line elsewhere', (t) => {
  const written = (isTTY) => {
    const texts = []
    const stream = { isTTY, write: (text) => texts.push(text) }
    const progress = startProgress({ name: 'way', total: 2000, item: 'key', stream })
    progress.add(5)
    progress.end()
    return texts
  }
  t.deepEqual(written(false), ['way …\n'])
  t.deepEqual(written(true), ['\r\x1b[Kway: 0 of 2,000 keys', '\r\x1b[K'])
})
