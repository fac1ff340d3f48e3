// Measures one row of one scenario and prints the sample as one line of JSON. The runner starts a process like
// this for every sample; started by hand it can be profiled:
//
//   node --expose-gc --cpu-prof benchmark/child.mjs locks/queued-100k ya-syn-native plain
//
// `als` instead of `plain` runs the row inside an AsyncLocalStorage; a fourth argument overrides the calls, and a fifth is
// the state of the scenario as JSON, such as {"folder":"/tmp/files"} for the group of files.

import { AsyncLocalStorage } from 'node:async_hooks'
import { loadScenario } from './scenarios.mjs'

const [path, row, context, calls, state = '{}'] = process.argv.slice(2)
const scenario = await loadScenario(path)

const measure = () => scenario.measure(row, Number(calls ?? scenario.calls), JSON.parse(state))
const sample = await (context === 'als' ? new AsyncLocalStorage().run({}, measure) : measure())

process.stdout.write(`${JSON.stringify(sample)}\n`)
