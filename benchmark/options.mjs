// The command line of the benchmark: what it takes, and what it says about a bad one.

import { parseArgs } from 'node:util'

const DEFAULT_ROUNDS = 5

const helpText = (scenarios) => `Usage: npm run bench -- [options]

Compares this package with its peers, one process per row, and judges the performance budget.

  --only NAME    only the comparisons whose name is NAME or starts with it; may be repeated
  --rounds N     how often every row is measured; medians are quoted (default ${DEFAULT_ROUNDS})
  --quick        one round, with a tenth of the calls where a loop can be shortened
  --json FILE    also write every sample, the medians and the verdicts to FILE
  --check        exit with 1 when a measured line of the budget is missed
  --help         this text

Names:
${scenarios.map(({ name, title }) => `  ${name.padEnd(20)} ${title}`).join('\n')}
`

const badOption = (message) =>
  Object.assign(new Error(`${message}; see npm run bench -- --help`), { code: 'BAD_OPTION' })

const parse = (args) => {
  try {
    return parseArgs({
      args,
      options: {
        only: { type: 'string', multiple: true, default: [] },
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw badOption(error.message)
  }
}

const parseOptions = (args, names) => {
  const { rounds: roundsText, ...options } = parse(args)
  const rounds = roundsText === undefined ? (options.quick ? 1 : DEFAULT_ROUNDS) : Number(roundsText)
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw badOption(`--rounds takes a whole number from 1 up, not '${roundsText}'`)
  }
  for (const name of options.only) {
    if (!names.some((known) => known.startsWith(name))) {
      throw badOption(`--only '${name}' names no comparison; there are ${names.join(', ')}`)
    }
  }
  return { ...options, rounds }
}

export { helpText, parseOptions }
