// Measures one row of one scenario and prints the sample as one line of JSON. The runner starts a process like
// this for every sample; started by hand it can be profiled:
//
//   node --expose-gc --cpu-prof benchmark/child.mjs queued-100k ya-syn-native plain
//
// `als` instead of `plain` runs the row inside an AsyncLocalStorage; a fourth argument overrides the calls.

import { AsyncLocalStorage } from 'node:async_hooks'
import { scenarios } from './scenarios/index.mjs'

const [name, row, context, calls] = process.argv.slice(2)
const scenario = scenarios.find((candidate) => candidate.name === name)

const measure = () => scenario.measure(row, Number(calls ?? scenario.calls))
const sample = await (context === 'als' ? new AsyncLocalStorage().run({}, measure) : measure())

process.stdout.write(`${JSON.stringify(sample)}\n`)
