// The figures in the order in which they are taken, and what is promised of them.

import { medianOf, medianRatio } from '../../stats.mjs'
import { PRODUCT, WAIT_ASYNC } from '../mutexes.mjs'
import { counter } from './counter.mjs'
import { PROCESS, THREAD, free } from './free.mjs'
import { MESSAGE, handOver } from './hand-over.mjs'
import { NOTHING, killed } from './killed.mjs'

const figures = [free, handOver, counter, killed]

const atMost = (bound, unit) => ({ required: `<= ${bound}${unit}`, unit, holds: (value) => value <= bound })

// A busy machine slows a hand-over down as a whole, which the ratios to the peers of the same run forgive.
const promises = [
  {
    figure: 'free',
    claim: 'process scope, times thread scope',
    ...atMost(2, 'x'),
    measure: (samples) => medianRatio(samples[PROCESS], samples[THREAD], 'nanoseconds'),
  },
  {
    figure: 'hand-over',
    claim: 'median, idle machine',
    ...atMost(30, ' us'),
    measure: (samples) => medianOf(samples[PRODUCT], 'median'),
  },
  {
    figure: 'hand-over',
    claim: 'median, times Atomics.waitAsync',
    ...atMost(1.5, 'x'),
    measure: (samples) => medianRatio(samples[PRODUCT], samples[WAIT_ASYNC], 'median'),
  },
  {
    figure: 'hand-over',
    claim: 'median, times BroadcastChannel',
    ...atMost(1.5, 'x'),
    measure: (samples) => medianRatio(samples[PRODUCT], samples[MESSAGE], 'median'),
  },
  {
    figure: 'counter',
    claim: 'lost increments',
    ...atMost(0, ''),
    measure: (samples) => medianOf(samples[PRODUCT], 'lost'),
  },
  {
    figure: 'counter',
    claim: 'most grants of a thread, times least',
    ...atMost(1.5, 'x'),
    measure: (samples) => medianOf(samples[PRODUCT], 'maxPerMin'),
  },
  {
    figure: 'killed',
    claim: 'lost permits',
    ...atMost(0, ''),
    measure: (samples) => medianOf(samples[PRODUCT], 'lost'),
  },
  {
    figure: 'killed',
    claim: 'two inside one key',
    ...atMost(0, ''),
    measure: (samples) => medianOf(samples[PRODUCT], 'violations'),
  },
  {
    figure: 'killed',
    claim: 'memory kept, beyond that of threads alone',
    ...atMost(10, ' MB'),
    measure: (samples) =>
      medianOf(samples[PRODUCT], 'megabytes') - Math.max(0, medianOf(samples[NOTHING], 'megabytes') ?? 0),
  },
]

export { figures, promises }
