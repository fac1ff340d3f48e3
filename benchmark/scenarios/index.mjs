// The scenarios in the order in which they run, and the comparisons they make: a scenario runs once for each
// context it names, `plain` and `als`. Once an AsyncLocalStorage has run, every promise of a process costs more,
// so figures of the two kinds are never compared with each other.

import freeKey from './free-key.mjs'
import freeSemaphore from './free-semaphore.mjs'
import keys from './keys.mjs'
import pipelines from './pipeline.mjs'
import queued from './queued.mjs'

const scenarios = [freeSemaphore, freeKey, ...queued, keys, ...pipelines]

const comparisonsOf = (only) =>
  scenarios
    .filter(({ name }) => only.length === 0 || only.some((start) => name.startsWith(start)))
    .flatMap((scenario) =>
      scenario.contexts.map((context) => ({
        id: context === 'als' ? `${scenario.name}+als` : scenario.name,
        scenario,
        context,
      })),
    )

export { comparisonsOf, scenarios }
