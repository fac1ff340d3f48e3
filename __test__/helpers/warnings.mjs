// Collects what `process.emitWarning` says while a test runs. Use in serial tests: the process is shared.
import { turn } from './async.mjs'

export async function warningsDuring(fn) {
  const warnings = []
  const listen = (warning) => warnings.push(warning)
  process.on('warning', listen)
  try {
    await fn()
    await turn()
    await turn()
    return warnings
  } finally {
    process.off('warning', listen)
  }
}
