// The command line of the benchmark: what it takes, and what it says about a bad one.

import { parseArgs } from 'node:util'
import { findGroups, loadGroup } from './scenarios.mjs'

const DEFAULT_GROUP = 'locks'

const commandOf = (group) => `npm run bench --${group === DEFAULT_GROUP ? '' : ` ${group}`}`

/** Options that set the calls of a scenario: their names, each with its help. */
const callsOptions = (scenarios) =>
  Object.fromEntries(scenarios.flatMap(({ callsOption: option }) => (option ? [[option.name, option.help]] : [])))

const helpText = ({ group, scenarios }) => {
  const rounds = [...new Set(scenarios.map((scenario) => scenario.rounds))].join(' or ')
  const lines = {
    '--only NAME': 'only the scenarios whose name is NAME or starts with it; may be repeated',
    '--rounds N': `how often every row is measured; medians are quoted (default ${rounds})`,
    '--quick': 'one round, with a tenth of the calls where a loop can be shortened',
    ...Object.fromEntries(Object.entries(callsOptions(scenarios)).map(([name, help]) => [`--${name} N`, help])),
    '--json FILE': 'also write every sample, the medians and the verdicts to FILE',
    '--check': 'exit with 1 when something measured misses what is required',
    '--help': 'this text',
  }
  return `Usage: ${commandOf(group)} [options]

Compares this package with its peers, one process per sample, and judges what is required of it.

${Object.entries(lines)
  .map(([option, what]) => `  ${option.padEnd(13)}  ${what}\n`)
  .join('')}
Names:
${scenarios.map(({ name, title }) => `  ${name.padEnd(20)} ${title}\n`).join('')}
Groups (${commandOf('GROUP')}): ${findGroups().join(', ')}; without one ${DEFAULT_GROUP}
`
}

const readOptions = (args, scenarios) => {
  const numbers = ['rounds', ...Object.keys(callsOptions(scenarios))]
  const { values: options } = parseArgs({
    args,
    options: {
      ...Object.fromEntries(numbers.map((name) => [name, { type: 'string' }])),
      only: { type: 'string', multiple: true, default: [] },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  for (const name of numbers.filter((name) => options[name] !== undefined)) {
    const number = Number(options[name])
    if (number >= 1 && Number.isInteger(number)) options[name] = number
    else throw new Error(`--${name} takes a whole number from 1 up, not '${options[name]}'`)
  }
  const names = scenarios.map(({ name }) => name)
  const unknown = options.only.find((start) => !names.some((name) => name.startsWith(start)))
  if (unknown === undefined) return options
  throw new Error(`--only '${unknown}' names no scenario; there are ${names.join(', ')}`)
}

const badOption = (message) => Object.assign(new Error(message), { code: 'BAD_OPTION' })

/** The group (the first argument, if it is no option), its scenarios, those that are `chosen`, and the options. */
const parseCommandLine = async (args) => {
  const isNamed = args[0] !== undefined && !args[0].startsWith('-')
  const group = isNamed ? args[0] : DEFAULT_GROUP
  if (!findGroups().includes(group))
    throw badOption(`There is no group '${group}'; there are ${findGroups().join(', ')}`)
  const scenarios = await loadGroup(group)
  try {
    const options = readOptions(args.slice(isNamed ? 1 : 0), scenarios)
    const isChosen = ({ name }) => options.only.length === 0 || options.only.some((start) => name.startsWith(start))
    return { group, scenarios, chosen: scenarios.filter(isChosen), options }
  } catch (error) {
    throw badOption(`${error.message}; see ${commandOf(group)} --help`)
  }
}

export { helpText, parseCommandLine }
