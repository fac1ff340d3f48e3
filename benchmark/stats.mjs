// Medians of samples, and of ratios taken round by round.

const median = (numbers) => {
  const sorted = numbers.filter(Number.isFinite).sort((a, b) => a - b)
  if (sorted.length === 0) return undefined
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

const medianOf = (samples = [], field) => median(samples.map((sample) => sample?.[field]))

/** How many times more of `field` the first needs than the second. */
const medianRatio = (samples = [], others = [], field) =>
  median(samples.map((sample, round) => sample?.[field] / others[round]?.[field]))

/** What a column of a table says of a row, in its unit: a median, or its ratio to that of another row. */
const figureOf = ({ field, over, scale = 1 }, row, samples) => {
  if (over !== undefined) return medianRatio(samples[row], samples[over], field)
  const figure = medianOf(samples[row], field)
  return figure && figure * scale
}

export { figureOf, median, medianOf, medianRatio }
