// What a scenario can require of its figures. A line of `required` is `{ claim, ...bound, measure }`: a bound says what
// the table prints and what holds, and `measure(samples, samplesOf)` gives the number from the samples of each row
// (`samplesOf(id)` has those of another comparison). A line with a unit in place of a bound only tells its number. A line
// with a `context` is judged in that context alone.

import { medianOf, medianRatio } from './stats.mjs'

const atLeast = (bound, unit = '') => ({ required: `>= ${bound}${unit}`, unit, holds: (value) => value >= bound })
const atMost = (bound, unit = '') => ({ required: `<= ${bound}${unit}`, unit, holds: (value) => value <= bound })
const below = (bound, unit = '') => ({ required: `< ${bound}${unit}`, unit, holds: (value) => value < bound })

const median = (row, field) => (samples) => medianOf(samples[row], field)

/** How many times more of `field` a row has than another one. */
const times = (row, over, field) => (samples) => medianRatio(samples[row], samples[over], field)

export { atLeast, atMost, below, median, times }
