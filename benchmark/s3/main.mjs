// `npm run bench:s3`: empties a prefix in the ways that are in use, beside this package's, on the test server of this repository
// with the latency of a store far away. One process for each figure, and a fresh bucket; afterwards the bucket is listed. Ratios are
// taken round by round. The figures of a command hold all of it, start included; those of a way in Node.js hold the run.
// Options: `--objects N` (the requirements are meant for the default), `--rounds N`, `--only NAME` (prefixes, flat or throttling),
// `--json FILE`, `--check` (fail when a requirement is missed).

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { startS3Server } from '../../tools/s3-server/start.mjs'
import { medianOf, medianRatio } from '../stats.mjs'
import { layOut, rounded } from '../table.mjs'
import { measureCommand } from './command.mjs'
import { commandOf, findPeers, peers } from './peers.mjs'
import { BOUND, LATENCY, PREFIX, WHOLE, parts, scenarios, serialBound, ways } from './scenarios.mjs'
import * as throttling from './throttling.mjs'

const Bucket = 'bench'
const TIMEOUT_MS = 10 * 60_000
const THROTTLING = 'throttling'

const child = fileURLToPath(new URL('child.mjs', import.meta.url))
const execute = promisify(execFile)
// Which Node.js versions the SDK will support one day is no news from a benchmark.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'

const { values: options } = parseArgs({
  options: {
    objects: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    json: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
})
const names = [...Object.keys(scenarios), THROTTLING]
const [objects, rounds] = ['objects', 'rounds'].map((name) => Number(options[name]))
const wrong = [
  ['objects', objects],
  ['rounds', rounds],
].find(([, value]) => !Number.isInteger(value) || value < 1)
if (wrong !== undefined) fail(`--${wrong[0]} must be an integer of at least 1, but is ${options[wrong[0]]}`)
else if (options.only !== undefined && !names.includes(options.only))
  fail(`--only must be one of ${names.join(', ')}, but is ${options.only}`)
else await main(options.only === undefined ? names : [options.only])

async function main(chosen) {
  const server = await startS3Server(LATENCY)
  const folder = mkdtempSync(join(tmpdir(), 'ya-syn-bench-'))
  const results = []
  try {
    const versions = await findPeers()
    console.log(
      `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}; ${rounds} round(s), medians; ` +
        `the store takes ${LATENCY.latencyList} ms for a page of keys and ${LATENCY.latencyDelete} ms for a delete request`,
    )
    for (const [name, { install }] of Object.entries(peers)) {
      console.log(
        versions[name] === undefined ? `skipped: ${name} is not installed (${install})` : `${name} ${versions[name]}`,
      )
    }
    for (const name of chosen) {
      results.push(await (name === THROTTLING ? throttle(server) : compare(server, folder, versions, name)))
    }
    if (options.json !== undefined) {
      writeFileSync(
        options.json,
        `${JSON.stringify({ node: process.version, rounds, objects, ...LATENCY, peers: versions, results }, null, 2)}\n`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await server.stop()
  }
  const missed = results.flatMap(({ verdicts }) => verdicts).filter(({ met }) => met === false)
  if (options.check && missed.length > 0) fail(`${missed.length} requirement(s) missed`)
}

/** All ways on keys of one shape. */
async function compare(server, folder, versions, name) {
  const { title, template, required } = scenarios[name]
  const rows = Object.entries(ways).filter(([, { peer }]) => peer === undefined || versions[peer] !== undefined)
  const samples = Object.fromEntries(rows.map(([row]) => [row, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [row, { run, peer, once, sample = 1 }] of rows) {
      if (once && round > 0) continue
      const keys = Math.max(1, Math.round(objects * sample))
      const target = { Bucket, Prefix: PREFIX, count: keys }
      await fill(server, { template, count: keys })
      const figures =
        peer === undefined
          ? await inNode(server, run, target)
          : await measureCommand(await commandOf(peer, server, target, folder), TIMEOUT_MS)
      const requests = (await server.stats()).requests.total
      await checkEmpty(server, row)
      samples[row].push({ ...figures, keys, requests, rate: keys / figures.seconds, cpu: figures.cpuSeconds / keys })
      process.stderr.write('.')
    }
  }
  process.stderr.write('\n')
  const bound = serialBound(objects)
  const compared = { ...samples, [BOUND]: Array.from({ length: rounds }, () => ({ rate: bound })) }
  const verdicts = required.map((requirement) => judge(requirement, compared))
  const gains = parts.map(({ what, way, over }) => ({
    what,
    way,
    over,
    times: medianRatio(samples[way], samples[over], 'rate'),
  }))
  print(title, samples)
  console.log(`Serial listing is bound to ${rounded(bound)} keys/s.`)
  for (const { what, times } of gains) console.log(`${rounded(times, 2)}x ${what}`)
  printVerdicts(verdicts)
  return { name, title, template, serialBound: bound, samples, gains, verdicts }
}

async function throttle(server) {
  // One round: it is long, and its figures are shares of what the store allows.
  await fill(server, { template: throttling.target.template, count: throttling.target.keys })
  await server.configure(throttling.limits)
  const samples = [await throttling.watch(server, inNode(server, ways[WHOLE].run, { Bucket, Prefix: PREFIX }))]
  await checkEmpty(server, WHOLE)
  const verdicts = throttling.required.map((requirement) => judge({ way: WHOLE, ...requirement }, { [WHOLE]: samples }))
  console.log(`\n${throttling.title}`)
  printVerdicts(verdicts)
  return { name: THROTTLING, title: throttling.title, samples: { [WHOLE]: samples }, verdicts }
}

async function fill(server, keys) {
  await server.reset()
  await server.seed({ bucket: Bucket, ...keys })
  await server.reset({ only: 'stats' })
}

async function inNode({ endpoint, credentials }, way, target) {
  const { stdout } = await execute(
    process.execPath,
    [child, JSON.stringify({ way, store: { endpoint, credentials }, target })],
    { timeout: TIMEOUT_MS },
  )
  return JSON.parse(stdout)
}

async function checkEmpty({ endpoint, credentials }, row) {
  const client = new S3Client({ region: 'us-east-1', endpoint, credentials, forcePathStyle: true })
  const { KeyCount, IsTruncated } = await client.send(new ListObjectsV2Command({ Bucket }))
  client.destroy()
  if (KeyCount > 0) throw new Error(`${row}: ${KeyCount}${IsTruncated ? ' and more' : ''} keys are left in the bucket`)
}

/** A verdict; nothing is met or missed where one of the ways is not installed. */
function judge({ way, field, over, atLeast, below, claim }, samples) {
  const unmeasured = (over !== undefined && samples[over] === undefined) || samples[way] === undefined
  const required = atLeast === undefined ? `< ${below}` : `>= ${rounded(atLeast, 2)}`
  const text = `${way}: ${claim}${over === undefined ? '' : ` (${over})`}`
  if (unmeasured) return { claim: text, required }
  // Of a rate more is better, of all else less.
  const [upper, lower] = field === 'rate' ? [way, over] : [over, way]
  const measured =
    over === undefined ? medianOf(samples[way], field) : medianRatio(samples[upper], samples[lower], field)
  return { claim: text, required, measured, met: atLeast === undefined ? measured < below : measured >= atLeast }
}

function print(title, samples) {
  const head = ['', 'keys', 'keys/s', 'seconds', 'CPU s/100k keys', 'peak RSS MB', 'p99 delay ms', 'requests']
  const body = Object.entries(samples).map(([row, figures]) => {
    const [keys, rate, seconds, cpu, rss, delayMs, requests] = [
      'keys',
      'rate',
      'seconds',
      'cpu',
      'rss',
      'delayMs',
      'requests',
    ].map((field) => medianOf(figures, field))
    return [
      row,
      rounded(keys),
      rounded(rate),
      rounded(seconds, 2),
      rounded(cpu * 100_000, 2),
      rounded(rss && rss / 1e6),
      rounded(delayMs, 1),
      rounded(requests),
    ]
  })
  console.log(`\n${title}`)
  process.stdout.write(layOut(head, body))
}

function printVerdicts(verdicts) {
  for (const { claim, required, measured, met } of verdicts) {
    const word = met === undefined ? 'not measured' : met ? 'met' : 'MISSED'
    console.log(`${word.padEnd(12)}  ${claim}: ${rounded(measured, 3)}, required ${required}`)
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
