// Garbage collection on demand, for tests of what must not be kept alive.
import v8 from 'node:v8'
import vm from 'node:vm'
import { sleep, turn } from './async.mjs'

v8.setFlagsFromString('--expose-gc')
const collect = vm.runInNewContext('gc')

/** One full collection, and the turns of the loop that finalizers need to be heard. */
export async function gc() {
  await turn()
  collect()
  await turn()
}

/** Collects until `predicate` holds; false when it never does. */
export async function gcUntil(predicate, { timeout = 8000 } = {}) {
  const deadline = performance.now() + timeout
  for (;;) {
    await gc()
    if (predicate()) return true
    if (performance.now() > deadline) return false
    await sleep(5)
  }
}
