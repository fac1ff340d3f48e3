// `npm run bench`, `bench:files`, `bench:workers`, `bench:s3`: measures the scenarios of a group, prints a table a comparison
// and the verdicts on what is required. See helpText in options.mjs; how the figures are taken is told in runner.mjs.

import { writeFile } from 'node:fs/promises'
import { judge } from './judge.mjs'
import { helpText, parseCommandLine } from './options.mjs'
import { toReport } from './report.mjs'
import { runComparisons } from './runner.mjs'
import { comparisonsOf } from './scenarios.mjs'
import { comparisonTable, header, verdictTable } from './table.mjs'

const fail = (message) => {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

const run = async ({ group, chosen, options }) => {
  const comparisons = await comparisonsOf(chosen)
  process.stdout.write(header(comparisons, options))
  const results = await runComparisons(comparisons, options, (text) => process.stderr.write(text))
  const verdicts = judge(results)

  for (const result of results) process.stdout.write(comparisonTable(result))
  process.stdout.write(verdictTable(verdicts))
  if (options.json !== undefined) {
    const report = await toReport(group, results, verdicts, options)
    await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`)
  }

  const broken = results.flatMap((result) => result.failures)
  if (broken.length > 0) fail(`\n${broken.length} measurement(s) failed:\n${broken.join('\n')}`)
  const missed = verdicts.filter(({ met }) => met === false)
  if (options.check && missed.length > 0) fail(`\n${missed.length} requirement(s) missed`)
}

try {
  const command = await parseCommandLine(process.argv.slice(2))
  if (command.options.help) process.stdout.write(helpText(command))
  else await run(command)
} catch (error) {
  if (error.code !== 'BAD_OPTION') throw error
  fail(error.message)
}
