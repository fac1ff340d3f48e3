// `npm run bench`: measures this package beside its peers, prints one table a comparison and the verdicts on
// the performance budget. See helpText in options.mjs; how the figures are taken is told in runner.mjs.

import { writeFile } from 'node:fs/promises'
import { judge } from './budget.mjs'
import { helpText, parseOptions } from './options.mjs'
import { toReport } from './report.mjs'
import { runComparisons } from './runner.mjs'
import { comparisonsOf, scenarios } from './scenarios/index.mjs'
import { budgetTable, comparisonTable, header } from './table.mjs'

const fail = (message) => {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

const run = async (options) => {
  const comparisons = comparisonsOf(options.only)
  process.stdout.write(header(options))
  const results = await runComparisons(comparisons, options, (text) => process.stderr.write(text))
  const verdicts = judge(results)

  for (const result of results) process.stdout.write(comparisonTable(result))
  process.stdout.write(budgetTable(verdicts))
  if (options.json !== undefined) {
    await writeFile(options.json, JSON.stringify(await toReport(results, verdicts, options), null, 2) + '\n')
  }

  const broken = results.flatMap((result) => result.failures)
  if (broken.length > 0) fail(`\n${broken.length} measurement(s) failed; the first:\n${broken[0]}`)
  if (options.check) {
    const missed = verdicts.filter(({ met }) => met === false)
    if (missed.length > 0) fail(`\n${missed.length} line(s) of the budget missed`)
  }
}

try {
  const options = parseOptions(
    process.argv.slice(2),
    scenarios.map(({ name }) => name),
  )
  if (options.help) process.stdout.write(helpText(scenarios))
  else await run(options)
} catch (error) {
  if (error.code !== 'BAD_OPTION') throw error
  fail(error.message)
}
