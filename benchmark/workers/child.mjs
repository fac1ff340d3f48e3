// Measures one row of one figure and prints the sample as one line of JSON. Started by hand it can be profiled:
//
//   node --expose-gc benchmark/workers/child.mjs hand-over ya-syn-native 500

import { figures } from './figures/index.mjs'

const [name, row, calls] = process.argv.slice(2)
const sample = await figures.find((figure) => figure.name === name).measure(row, Number(calls))
process.stdout.write(`${JSON.stringify(sample)}\n`)
