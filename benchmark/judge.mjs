// Whether what the scenarios require held in this run.

/** A verdict a line; `met` is undefined where this run did not measure it or nothing is required. */
const judge = (results) => {
  const samplesOf = (id) => results.find((result) => result.id === id)?.samples ?? {}
  const verdictOf = (id, { claim, required, unit = '', holds, measure }) => {
    const measured = measure(samplesOf(id), samplesOf)
    const known = Number.isFinite(measured)
    return {
      id,
      claim,
      required,
      unit,
      measured: known ? measured : undefined,
      met: known ? holds?.(measured) : undefined,
    }
  }
  return results.flatMap(({ id, context, scenario }) =>
    scenario.required
      .filter((line) => line.context === undefined || line.context === context)
      .map((line) => verdictOf(id, line)),
  )
}

export { judge }
