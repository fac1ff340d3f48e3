// What a seed stands for on the client's side: a bucket, a client, and one job with its options.
import { Dice } from './dice.mjs'

const PREFIXES = ['p/', 'p/', 'p p/', 'a+b/', 'ü%/', 'logs', 'x%2Fy/', 'd/./', 'a&b<']
const ODD = [
  ' ',
  '+',
  '%',
  '%20',
  '%2B',
  '%2F',
  'é',
  '😀',
  '/',
  '//',
  '.',
  '..',
  '/../',
  '/./',
  '\u0001',
  '\u001f',
  '\n',
  '\r',
  '\t',
  '\u007f',
  '&',
  '&amp;',
  '<',
  '>',
  '"',
  "'",
  '?',
  '#',
  '~',
  '*',
  '\\',
  '=',
  '!',
  '\ufffd',
  '日本',
]
const JOBS = [
  'prefix',
  'prefix',
  'prefix',
  'prefix',
  'versions',
  'versions',
  'versions',
  'dryRun',
  'dryRunVersions',
  'fused',
  'fused',
  'fusedVersions',
  'piped',
  'listKeys',
  'listKeys',
  'listObjects',
  'listVersions',
  'executor',
  'executor',
  'executorVersions',
]

const OF_VERSIONS = ['versions', 'dryRunVersions', 'fusedVersions', 'listVersions', 'executorVersions']

/** All that is decided by the seed. */
export function drawScenario(seed) {
  const dice = new Dice(seed)
  const job = dice.pick(JOBS)
  const versions = OF_VERSIONS.includes(job)
  const prefix = dice.pick(PREFIXES)
  const keys = drawKeys(dice, prefix)
  const limits = [undefined, undefined, { prefixLength: prefix.length + dice.integer(0, 2) }, { delimiter: '/' }]
  const limit = dice.pick(limits)
  return {
    seed,
    job,
    versions,
    versioned: versions || dice.percent(15),
    prefix,
    keys,
    decoys: drawDecoys(prefix),
    startAfter: dice.percent(15) && !job.startsWith('executor') ? dice.pick(keys) : undefined,
    listing: {
      MaxKeys: dice.pick([undefined, 3, 5, 7, 12]),
      parallelListing: dice.pick([1, 1, 2, 8]),
    },
    deletion: {
      batchSize: dice.pick([1, 3, 10, 1000]),
      maxTasksInExecution: dice.pick([1, 4, 50]),
      limitPerKey: limit && { ...limit, maxTasksInExecution: dice.integer(1, 2) },
    },
    client: {
      maxAttempts: dice.integer(1, 3),
      throttleTimeout: dice.pick([300, 800]),
      deleteMode: dice.pick(['auto', 'auto', 'auto', 'auto', 'auto', 'auto', 'md5', 'checksum', 'single', 'single']),
    },
    listensToErrors: dice.percent(30),
    abortAfter: dice.percent(12) ? dice.integer(0, 300) : undefined,
    /** How an executor is given its keys. */
    callSize: dice.pick([1, 7, 1000]),
    /** Only keys that end in this. */
    suffix: dice.percent(15) && !job.startsWith('executor') ? [...dice.pick(keys)].at(-1) : undefined,
    /** Whether the limit per key is one of a provider, which others use. */
    sharesLimit: dice.percent(30),
  }
}

/** Names that differ in what encodings, paths and documents make of them. */
function drawKeys(dice, prefix) {
  const keys = new Set()
  const count = dice.integer(5, 60)
  const isOdd = dice.percent(60)
  const folders = dice.integer(1, 6)
  while (keys.size < count) {
    let key = prefix
    if (dice.percent(50)) key += `f${dice.integer(1, folders)}/`
    key += dice.integer(0, 9999).toString(36)
    if (isOdd && dice.percent(60)) key += dice.pick(ODD) + (dice.percent(60) ? 'b' : '')
    keys.add(key)
    // Neighbours that a wrong decoding takes for each other.
    if (key.includes('+') && dice.percent(50)) keys.add(prefix + key.slice(prefix.length).replaceAll('+', ' '))
    if (key.includes('%') && dice.percent(50)) keys.add(prefix + safelyDecoded(key.slice(prefix.length)))
  }
  return [...keys]
}

function safelyDecoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Keys that are near the prefix, and not under it. */
function drawDecoys(prefix) {
  const cut = prefix.slice(0, -1)
  const near = [
    cut,
    `${cut}0`,
    `${cut}~`,
    prefix.toUpperCase(),
    encodeURIComponent(prefix),
    prefix.replaceAll('+', ' '),
    prefix.replaceAll(' ', '+'),
    'o',
    'a',
    'zz/z',
    ` ${prefix}x`,
  ]
  const names = near.flatMap((name) => [name, `${name}1`])
  return [...new Set(names)].filter((name) => name !== '' && !name.startsWith(prefix))
}
