// The command line of the benchmark: what it takes, and what it says about a bad one.

import { parseArgs } from 'node:util'
import { findGroups, loadGroup } from './scenarios.mjs'

const DEFAULT_GROUP = 'locks'

const commandOf = (group) => `npm run bench${group === DEFAULT_GROUP ? '' : `:${group}`} --`

const callsOptions = (scenarios) =>
  new Map(scenarios.flatMap(({ callsOption }) => (callsOption === undefined ? [] : [[callsOption.name, callsOption]])))

const helpText = ({ group, scenarios }) => {
  const rounds = [...new Set(scenarios.map((scenario) => scenario.rounds))].join(' or ')
  const lines = [
    ['--only NAME', 'only the scenarios whose name is NAME or starts with it; may be repeated'],
    ['--rounds N', `how often every row is measured; medians are quoted (default ${rounds})`],
    ['--quick', 'one round, with a tenth of the calls where a loop can be shortened'],
    ...[...callsOptions(scenarios).values()].map(({ name, help }) => [`--${name} N`, help]),
    ['--json FILE', 'also write every sample, the medians and the verdicts to FILE'],
    ['--check', 'exit with 1 when something measured misses what is required'],
    ['--help', 'this text'],
  ]
  return `Usage: ${commandOf(group)} [options]

Compares this package with its peers, one process per sample, and judges what is required of it.

${lines.map(([option, what]) => `  ${option.padEnd(13)}  ${what}\n`).join('')}
Names:
${scenarios.map(({ name, title }) => `  ${name.padEnd(20)} ${title}\n`).join('')}`
}

const bad = (message) => Object.assign(new Error(message), { code: 'BAD_OPTION' })

const count = (name, text) => {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1) return number
  throw bad(`--${name} takes a whole number from 1 up, not '${text}'`)
}

const parse = (args, numbers) => {
  try {
    return parseArgs({
      args,
      options: {
        ...Object.fromEntries(numbers.map((name) => [name, { type: 'string' }])),
        only: { type: 'string', multiple: true, default: [] },
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw bad(error.message)
  }
}

const readOptions = (args, scenarios) => {
  const numbers = ['rounds', ...callsOptions(scenarios).keys()]
  const options = parse(args, numbers)
  for (const name of numbers) if (options[name] !== undefined) options[name] = count(name, options[name])
  const names = scenarios.map(({ name }) => name)
  for (const start of options.only) {
    if (names.some((name) => name.startsWith(start))) continue
    throw bad(`--only '${start}' names no scenario; there are ${names.join(', ')}`)
  }
  return options
}

/** The group (the first argument, if it is no option), its scenarios, those that are `chosen`, and the options. */
const parseCommandLine = async (args) => {
  const named = args[0] !== undefined && !args[0].startsWith('-')
  const group = named ? args[0] : DEFAULT_GROUP
  if (!findGroups().includes(group)) throw bad(`there is no group '${group}'; there are ${findGroups().join(', ')}`)
  const scenarios = await loadGroup(group)
  try {
    const options = readOptions(args.slice(named ? 1 : 0), scenarios)
    const isChosen = ({ name }) => options.only.length === 0 || options.only.some((start) => name.startsWith(start))
    return { group, scenarios, chosen: scenarios.filter(isChosen), options }
  } catch (error) {
    if (error.code === 'BAD_OPTION') error.message += `; see ${commandOf(group)} --help`
    throw error
  }
}

export { helpText, parseCommandLine }
