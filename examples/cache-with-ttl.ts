// A cache with a time to live: many callers, one load.
//
// The first callers share one load; later ones are served from the cache; `get(0)` wants a value that is not older than
// the call itself. A failed load is not kept.
import { CachedProvider, SynchronizerProvider } from 'ya-syn'

type Rates = { readonly loaded: number; readonly at: Date }

class RateService {
  loads = 0
  readonly #rates: CachedProvider<Rates>

  constructor(synchronizerProvider: SynchronizerProvider) {
    this.#rates = new CachedProvider({
      synchronizerProvider,
      factory: () => this.#load(),
      cacheTimestamp: (rates) => rates.at,
      defaultTTL: 60_000,
    })
  }

  rates(ttl?: number): Promise<Rates> {
    return this.#rates.get(ttl)
  }

  async #load(): Promise<Rates> {
    const loaded = ++this.loads
    const at = new Date()
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (loaded === 1) {
      throw new Error('the first load fails')
    }
    return { loaded, at }
  }
}

async function main(): Promise<void> {
  const service = new RateService(new SynchronizerProvider())
  await service.rates().catch((e: Error) => console.log(`failed: ${e.message}`))

  const together = await Promise.all([service.rates(), service.rates(), service.rates()])
  console.log(`together: ${together.map((rates) => rates.loaded).join(' ')}`)
  console.log(`cached: ${(await service.rates()).loaded}`)

  await new Promise((resolve) => setTimeout(resolve, 5))
  console.log(`fresh: ${(await service.rates(0)).loaded}`)
  console.log(`loads: ${service.loads}`)
}

void main()
