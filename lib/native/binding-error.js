'use strict'

// Explains why the compiled addon cannot be loaded: on what machine, what was tried, what each try said, and the remedy.

const process = require('node:process')
const { isNativeError } = require('node:util/types')
const { name, napi } = require('../../package.json')

/** @param {unknown} error what loading `native.js` threw */
function bindingError(error) {
  const causes = causesOf(error)
  const message = [
    `${name} cannot load its compiled part on ${machine()}.`,
    'Tried:',
    ...causes.map((cause) => `  - ${cause}`),
    remedy(causes),
  ].join('\n')
  // The error has no `cause`: the message tells all of it, and Node.js would print the chain of causes with their stacks.
  return Object.assign(new Error(message), { code: 'ERR_YA_SYN_NATIVE_BINDING' })
}

/**
 * The generated loader chains what its tries said, the last one outermost, under an error of its own.
 * Its tries for WebAssembly are left out, since no such build exists.
 *
 * @param {unknown} error
 */
function causesOf(error) {
  const chain = []
  for (let e = error; isNativeError(e); e = e.cause) {
    chain.unshift(firstLine(e.message))
  }
  return (chain.length > 1 ? chain.slice(0, -1) : chain).filter((cause) => !cause.includes('wasi'))
}

/** @param {string} text */
function firstLine(text) {
  return text.split('\n', 1)[0] ?? ''
}

function machine() {
  const parts = [`${process.platform} ${process.arch}`]
  if (process.platform === 'linux') {
    parts.push(`with ${libc()}`)
  }
  return `${parts.join(' ')}, Node.js ${process.versions.node}`
}

function libc() {
  const { header, sharedObjects } = report()
  if (header.glibcVersionRuntime) {
    return `glibc ${header.glibcVersionRuntime} (as process.report says)`
  }
  const musl = sharedObjects.find((/** @type {string} */ file) => /libc\.musl-|ld-musl-/.test(file))
  return musl ? `musl (${musl} is loaded)` : 'an unknown libc (process.report names neither glibc nor musl)'
}

/** The process's report without its network part, which can take seconds to make. */
function report() {
  /** @type {any} */
  const { report } = process
  const { excludeNetwork } = report
  report.excludeNetwork = true
  try {
    return report.getReport()
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

/** @param {string[]} causes */
function remedy(causes) {
  if (causes.includes("Cannot find module '../../native.js'")) {
    return 'Remedy: this is a source checkout that was not built yet; run "npm run build", which needs Rust.'
  }
  const failures = causes.filter((cause) => !/^(Cannot find module|Unsupported)/.test(cause)).join('\n')
  if (/GLIBC_[\d.]+' not found/.test(failures)) {
    return `Remedy: the system's glibc is too old; use a system with glibc 2.28 or later, or build ${name} from its source.`
  }
  if (failures) {
    return 'Remedy: a file is there but broken, or made for another system; remove node_modules and install again.'
  }
  return (
    `Remedy: builds exist for ${napi.targets.join(', ')}. On one of these, the package named last above is an optional ` +
    'dependency that was not installed: install without --omit=optional (or --no-optional), and if the lockfile was made on ' +
    `another platform, remove it and node_modules first. Elsewhere, build ${name} from its source.`
  )
}

module.exports = { bindingError }
