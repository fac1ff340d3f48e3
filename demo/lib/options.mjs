// The command line of a demo: options that are numbers, `--help`, and a clear word about a bad one.
import { parseArgs } from 'node:util'

/**
 * Reads `args` by `spec`, an object from option name to `{ value, min, unit, about }`: its default, the least it may be
 * (whole numbers unless `fraction` is set), what its value is called, and what it is for. Resolves to the values, or to
 * `undefined` for `--help`. A bad option throws an error with code `BAD_OPTION`.
 */
export function parseOptions(args, spec) {
  const types = Object.keys(spec).map((name) => [name, { type: 'string' }])
  let values
  try {
    values = parseArgs({ args, options: { ...Object.fromEntries(types), help: { type: 'boolean' } } }).values
  } catch (error) {
    throw badOption(error.message)
  }
  if (values.help) return undefined
  return Object.fromEntries(Object.entries(spec).map(([name, option]) => [name, number(name, values[name], option)]))
}

/** What `--help` prints. */
export function helpText({ command, about, spec }) {
  const lines = Object.entries(spec).map(([name, { unit, about, value }]) => [
    `--${name} ${unit}`,
    `${about} (default ${value})`,
  ])
  lines.push(['--help', 'this text'])
  const width = Math.max(...lines.map(([option]) => option.length))
  const options = lines.map(([option, text]) => `  ${option.padEnd(width)}  ${text}`).join('\n')
  return `Usage: ${command} -- [options]\n\n${about}\n\n${options}\n`
}

function number(name, text, { value, min, fraction = false }) {
  if (text === undefined) return value
  const given = text.trim() === '' ? NaN : Number(text)
  if (!(fraction ? Number.isFinite(given) : Number.isSafeInteger(given)) || given < min) {
    throw badOption(`--${name} takes a ${fraction ? '' : 'whole '}number from ${min} up, not '${text}'`)
  }
  return given
}

function badOption(message) {
  return Object.assign(new Error(message), { code: 'BAD_OPTION' })
}
