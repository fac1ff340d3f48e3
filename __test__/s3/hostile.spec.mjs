// The S3 client on a store that answers amiss by a seed: `npm run check:hostile` tries thousands, this a few of every kind.
import test from 'ava'
import { judge } from '../../tools/s3-server/hostile/judge.mjs'
import { tryCases } from '../../tools/s3-server/hostile/run.mjs'
import { drawScenario } from '../../tools/s3-server/hostile/scenario.mjs'

const SEEDS = 60
const versionsJob = { job: 'versions', versions: true, versioned: true }
const plain = { job: 'prefix', versions: false, versioned: false }

/** What a store does in every answer, and the promise that holds all the same. */
const habits = {
  'an entry without a key never becomes a request on the bucket': [
    ['drop-key', 'empty-key', 'lower-case-keys'],
    [plain, versionsJob],
  ],
  'a key that is not under the prefix is never deleted': [
    ['ignore-prefix', 'foreign-key', 'renamed-key', 'second-key'],
    [plain, versionsJob],
  ],
  'a job for versions never sends a plain delete': [
    ['plain-listing', 'drop-version-id', 'empty-version-id'],
    [versionsJob],
  ],
  'a job for keys never deletes a version': [['add-version-id'], [plain]],
  'a plus that stands for itself is not taken for a blank': [['raw-plus'], [plain, versionsJob]],
  'a listing ends where the store says so, in whatever words': [
    ['boolean-case', 'boolean-garbage', 'drop-truncated', 'drop-token', 'empty-token'],
    [plain, versionsJob],
  ],
  'only what the store confirms is counted as deleted': [
    ['drop-deleted', 'drop-error', 'rename-deleted', 'encoded-results', 'drop-error-key'],
    [plain, versionsJob],
  ],
  'what is gone is deleted, in whatever words': [
    ['gone-codes', 'rename-root', 'ignore-quiet', 'marker-case'],
    [plain, versionsJob],
  ],
  'names are decoded where a store encodes them, whether it says so or not': [
    ['hide-encoding', 'raw-names'],
    [plain, versionsJob],
  ],
  'a marker is followed to the key that it means, encoded or not': [['raw-marker'], [versionsJob]],
  'keys that a store does not take keep no others from being deleted': [['poison-keys'], [plain, versionsJob]],
  'a store without DeleteObjects is asked key by key': [['no-multi-delete'], [plain]],
  'a key that the store refuses without a code fails with one': [
    ['empty-code', 'drop-code'],
    [plain, versionsJob],
  ],
  'a page of something else is an error that says where': [
    ['html', 'json', 'redirect', 'wrong-status', 'gzip', 'truncate'],
    [plain, versionsJob],
  ],
}

const cases = []
const namedSeeds = {}
for (const [title, [mutations, jobs]] of Object.entries(habits)) {
  const seeds = mutations.flatMap((mutation) =>
    jobs.flatMap((change) =>
      [1, 2].map((i) => {
        const seed = 1_000_000 + 10 * cases.length + i
        cases.push({ seed, profile: { habits: [mutation] }, change: { ...change, abortAfter: undefined } })
        return seed
      }),
    ),
  )
  namedSeeds[title] = seeds
}

let failures
test.before(async () => {
  const seeds = Array.from({ length: SEEDS }, (_, seed) => ({ seed }))
  ;({ failures } = await tryCases([...seeds, ...cases], { bound: 50_000 }))
})

function told(list) {
  return list.map(({ seed, profile, wrong }) => `seed ${seed} ${JSON.stringify(profile)}: ${wrong.join('; ')}`)
}

for (const [title, seeds] of Object.entries(namedSeeds)) {
  test(title, (t) => {
    t.deepEqual(told(failures.filter(({ seed }) => seeds.includes(seed))), [])
  })
}

test('whatever a store answers, the client touches only what was asked for, says only what is so, and settles', (t) => {
  const named = new Set(Object.values(namedSeeds).flat())
  t.deepEqual(told(failures.filter(({ seed }) => !named.has(seed))), [])
})

/** A job that went well, of three keys, and what is changed about it. */
function judged({ seen = {}, report = {}, scenario = {} } = {}) {
  const request = (items) => ({ method: 'POST', uri: '/b?delete', operation: 'DeleteObjects', items })
  const end = { listed: 2, deleted: 2, failed: 0 }
  return judge(
    { ...drawScenario(0), ...plain, prefix: 'p/', startAfter: undefined, ...scenario },
    {
      settled: true,
      closed: true,
      yielded: [],
      calls: [],
      taskErrors: [],
      tasks: [],
      aborted: false,
      value: end,
      progress: { ...end, inFlight: 0 },
      ...seen,
    },
    {
      profile: { habits: ['html'], chance: 0, once: null },
      initial: [
        ['p/1', null],
        ['p/2', null],
        ['q', null],
      ],
      remaining: [['q', null]],
      requests: [
        request([
          ['p/1', null],
          ['p/2', null],
        ]),
      ],
      hidden: [],
      phantoms: [],
      doubled: 0,
      unordered: false,
      ...report,
    },
    { Bucket: 'b', host: 'h:1' },
  )
}

test('the judge finds nothing wrong where all is right', (t) => {
  t.deepEqual(judged(), [])
})

const lies = {
  'a job that hangs': [{ seen: { settled: false } }, /did not settle/],
  'a bucket that is deleted': [
    { report: { requests: [{ method: 'DELETE', uri: '/b/', operation: null, items: [] }] } },
    /nobody asked for/,
  ],
  'a key outside of the prefix': [
    { report: { requests: [{ method: 'DELETE', uri: '/b/q', operation: 'DeleteObject', items: [['q', null]] }] } },
    /outside/,
  ],
  'a decoy that is gone': [{ report: { remaining: [] } }, /although nobody asked/],
  'a version in a job for keys': [
    { report: { requests: [{ method: 'DELETE', uri: '/b/p/1', operation: 'DeleteObject', items: [['p/1', 'v']] }] } },
    /a delete of a version/,
  ],
  'a key that remains': [
    {
      report: {
        remaining: [
          ['p/1', null],
          ['q', null],
        ],
      },
    },
    /more are counted.*\n.*keys remain/,
  ],
  'counts that do not add up': [{ seen: { value: { listed: 3, deleted: 2, failed: 0 } } }, /add up/],
  'a progress that goes on': [{ seen: { progress: { listed: 2, deleted: 2, failed: 0, inFlight: 1 } } }, /in flight/],
  'an error without a code': [
    { seen: { error: { name: 'S3BulkError', code: '', message: 'no b' }, value: undefined } },
    /has the code/,
  ],
  'an error that says nothing of where': [
    { seen: { error: { name: 'S3BulkError', code: 'X', message: 'no' }, value: undefined } },
    /neither/,
  ],
  'a permit that is held': [{ seen: { held: 1 } }, /permits are held/],
  'a key that the filter leaves out': [{ scenario: { suffix: '1' } }, /outside of what was asked/],
  'a listing of what never was': [
    {
      scenario: { job: 'listKeys' },
      seen: { yielded: [{ Key: 'p/1' }, { Key: 'p/2' }, { Key: 'p/3' }] },
      report: { requests: [] },
    },
    /never was/,
  ],
  'a listing that passes over a key': [
    { scenario: { job: 'listKeys' }, seen: { yielded: [{ Key: 'p/1' }] }, report: { requests: [] } },
    /passed over/,
  ],
}
for (const [name, [change, fact]] of Object.entries(lies)) {
  test(`the judge finds ${name}`, (t) => {
    t.regex(judged(change).join('\n'), fact)
  })
}
