// Compares what a caller saw with what the store knows, and names every fact that is wrong.
//
// What is excused, because no client could have found it out, is defined in ../src/hostile/mod.rs.

/** Mutations that change nothing that a careful reader needs, or only what the contract allows. */
const HARMLESS = [
  'pretty',
  'namespaced',
  'cdata',
  'byte-order-mark',
  'extra-elements',
  'percent-blank',
  'lower-hex',
  'encode-all',
  'raw-plus',
  'boolean-case',
  'drop-truncated',
  'rename-root',
  'ignore-quiet',
  'reverse-results',
  'double-results',
  'gone-codes',
  'few-keys',
  'ignore-max-keys',
  'marker-case',
  'raw-marker',
]
/** Those that a client finds out where the store has them in every answer. */
const CONSISTENT = ['raw-names', 'hide-encoding']
/** Those that pass when they come once. */
const PASSING = ['truncate', 'cut', 'close', 'drop-deleted']

const nameOf = (Key, VersionId) => (VersionId == null ? JSON.stringify(Key) : `${JSON.stringify(Key)}@${VersionId}`)
const names = (pairs) => new Set(pairs.map(([key, version]) => nameOf(key, version)))
const bytes = (text) => Buffer.from(text)

/** The facts that are wrong, as sentences. */
export function judge(scenario, seen, report, { Bucket, host, given }) {
  const wrong = new Facts()
  const { prefix, startAfter, suffix, job } = scenario
  const isInScope = (key) =>
    key.startsWith(prefix) &&
    (startAfter === undefined || Buffer.compare(bytes(key), bytes(startAfter)) > 0) &&
    (suffix === undefined || key.endsWith(suffix))
  const truth = {
    given: given && names(given.map(({ Key, VersionId }) => [Key, VersionId])),
    inScope: names(report.initial.filter(([key]) => isInScope(key))),
    outside: names(report.initial.filter(([key]) => !isInScope(key))),
    remaining: names(report.remaining),
    hidden: names(report.hidden),
    phantoms: names(report.phantoms.filter(([key]) => isInScope(key))),
    doubled: report.unordered ? report.doubled : 0,
    isInScope,
  }
  truth.gone = new Set([...truth.inScope].filter((name) => !truth.remaining.has(name)))
  judgeRequests(scenario, report, truth, wrong)
  if (!seen.settled) wrong.push('the job did not settle')
  if (!seen.closed) wrong.push('close() did not settle')
  if (seen.held > 0) wrong.push('permits are held at the end', `${seen.held}`)
  if (!seen.settled) return wrong.sentences()
  judgeErrors(seen, { Bucket, host }, wrong)
  if (job.startsWith('list')) judgeListing(seen, truth, wrong)
  else if (job.startsWith('executor')) judgeCalls(seen, truth, wrong)
  else judgeDeletion(scenario, seen, truth, wrong)
  if (hasToSucceed(scenario, report.profile) && !seen.aborted) {
    const error = seen.error ?? seen.taskErrors[0] ?? seen.calls.find(({ error }) => error !== undefined)?.error
    if (error !== undefined) wrong.push('the store erred in nothing that matters, and the job failed', error.message)
  }
  return wrong.sentences()
}

/** Wrong facts by their kind: one of a kind is told, and how many more there are. */
class Facts {
  #byKind = new Map()

  push(kind, detail = '') {
    const known = this.#byKind.get(kind)
    if (known === undefined) this.#byKind.set(kind, { detail, more: 0 })
    else known.more++
  }

  sentences() {
    return [...this.#byKind].map(
      ([kind, { detail, more }]) =>
        `${kind}${detail === '' ? '' : `: ${detail}`}${more > 0 ? `, and ${more} more` : ''}`,
    )
  }
}

function judgeRequests({ job, versions, prefix }, report, truth, wrong) {
  const deletes = !job.startsWith('list') && !job.startsWith('dryRun')
  const known = new Set([...truth.inScope, ...truth.phantoms])
  for (const { method, uri, operation, items } of report.requests) {
    const what = `${method} ${uri}`
    if (method !== 'GET' && method !== 'HEAD' && !['DeleteObject', 'DeleteObjects'].includes(operation))
      wrong.push('a request that nobody asked for', what)
    const asked = new URL(uri, 'http://store').searchParams.get('prefix')
    if (operation?.startsWith('List') && !asked?.startsWith(prefix)) wrong.push('a listing outside of the prefix', what)
    if (items.length > 0 && !deletes) wrong.push('a delete in a job that deletes nothing', what)
    for (const [key, version] of items) {
      const name = nameOf(key, version)
      if (truth.given !== undefined) {
        if (!truth.given.has(name)) wrong.push('a delete of what was not given', name)
      } else if (!truth.isInScope(key)) wrong.push('a delete outside of what was asked for', name)
      else if (versions && !version) wrong.push('a plain delete in a job for versions', name)
      else if (!versions && version != null) wrong.push('a delete of a version in a job for keys', name)
      else if (!known.has(name)) wrong.push('a delete of what the store never had nor listed', name)
    }
  }
  const touched = truth.given === undefined ? [...truth.outside].filter((name) => !truth.remaining.has(name)) : []
  if (touched.length > 0) wrong.push('deleted although nobody asked for it', some(touched))
}

function judgeErrors(seen, { Bucket, host }, wrong) {
  const errors = [seen.error, ...seen.taskErrors, ...seen.calls.map(({ error }) => error)]
  for (const error of errors) {
    if (error === undefined || error === seen.reason) continue
    const { name, code, message, failed = [] } = error
    const text = `${name} ${JSON.stringify(code)}: ${message}`
    if (typeof code !== 'string' || code === '' || code === 'Panic')
      wrong.push(`an error has the code ${JSON.stringify(code)}`, text)
    if (!message) wrong.push('an error says nothing', text)
    if (name !== 'AbortError' && !message?.includes(Bucket) && !message?.includes(host))
      wrong.push('an error names neither bucket nor host', text)
    for (const key of failed) {
      const isTold = typeof key.code === 'string' && key.code !== '' && key.code !== 'Panic' && key.message !== ''
      if (!isTold) wrong.push('a key failed without a word', JSON.stringify(key))
    }
  }
}

function judgeListing(seen, truth, wrong) {
  const yielded = seen.yielded.map(({ Key, VersionId }) => nameOf(Key, VersionId))
  const distinct = new Set(yielded)
  const never = yielded.filter((name) => !truth.inScope.has(name) && !truth.phantoms.has(name))
  if (never.length > 0) wrong.push('listed what never was, or was not asked for', some(never))
  if (yielded.length > distinct.size + truth.doubled)
    wrong.push('listed more often than once', some(yielded.filter((name, i) => yielded.indexOf(name) !== i)))
  if (seen.error !== undefined || seen.aborted) return
  const missed = [...truth.inScope].filter((name) => !distinct.has(name) && !truth.hidden.has(name))
  if (missed.length > 0) wrong.push('the listing ended well and passed over keys', some(missed))
}

function judgeCalls(seen, truth, wrong) {
  for (const { items, error } of seen.calls) {
    if (error !== undefined && error.name !== 'S3DeleteError') continue
    const failed = new Set((error?.failed ?? []).map(({ Key, VersionId }) => nameOf(Key, VersionId)))
    const rest = items.map(({ Key, VersionId }) => nameOf(Key, VersionId)).filter((name) => !failed.has(name))
    const undeleted = rest.filter((name) => truth.remaining.has(name))
    if (undeleted.length > 0) wrong.push('counted as deleted and still there', some(undeleted))
    if (error !== undefined && error.deleted + error.failed.length !== items.length)
      wrong.push(
        'the counts do not add up',
        `${error.deleted} deleted and ${error.failed.length} failed of ${items.length}`,
      )
  }
}

function judgeDeletion({ job }, seen, truth, wrong) {
  const { error, progress } = seen
  const isDry = job.startsWith('dryRun')
  const counts =
    seen.value ??
    error?.counts ??
    (progress && { listed: progress.listed, deleted: progress.deleted, failed: progress.failed })
  const failed = [error, ...seen.taskErrors].flatMap((each) => each?.failed ?? [])
  // An error that names no keys is about all of its task.
  const untried = seen.tasks.filter((_, i) => seen.taskErrors[i].failed === undefined).flat()
  const failedNames = new Set([...failed, ...untried].map(({ Key, VersionId }) => nameOf(Key, VersionId)))
  const isComplete = !seen.aborted && (error === undefined || error.name === 'S3DeleteError')
  const alien = [...failedNames].filter((name) => !truth.inScope.has(name) && !truth.phantoms.has(name))
  if (alien.length > 0) wrong.push('reported as failed and never asked for', some(alien))
  if (counts !== undefined) {
    const text = JSON.stringify(counts)
    const most = (isDry ? truth.inScope : truth.gone).size + truth.phantoms.size + truth.doubled
    if (counts.deleted > most) wrong.push('more are counted as deleted than are', `${most} are, ${text}`)
    const sum = counts.deleted + counts.failed
    if (isComplete ? sum !== counts.listed : sum > counts.listed && !isDry) wrong.push('the counts do not add up', text)
    if (isComplete && !isDry && failed.length !== counts.failed)
      wrong.push('not every failed key is reported', `${failed.length} are, ${text}`)
    if (
      progress !== undefined &&
      !isDry &&
      ['listed', 'deleted', 'failed'].some((name) => progress[name] !== counts[name])
    ) {
      wrong.push('the last report of progress differs', `${JSON.stringify(progress)} ${text}`)
    }
    if (progress !== undefined && progress.inFlight !== 0)
      wrong.push('requests are in flight at the end', `${progress.inFlight}`)
  }
  if (!isComplete) return
  if (isDry) {
    const least = [...truth.inScope].filter((name) => !truth.hidden.has(name)).length
    if (counts.listed < least) wrong.push('the dry run passed over keys', `${counts.listed} of at least ${least}`)
    return
  }
  const missed = [...truth.inScope].filter(
    (name) => truth.remaining.has(name) && !truth.hidden.has(name) && !failedNames.has(name),
  )
  if (missed.length > 0) wrong.push('the job ended as if all were done, and keys remain', some(missed))
}

/** Whether nothing is amiss that a client could not cope with. */
function hasToSucceed({ client }, { habits, chance, once }) {
  const single = client.deleteMode !== 'auto'
  const copes = (mutation) =>
    HARMLESS.includes(mutation) ||
    CONSISTENT.includes(mutation) ||
    (['no-multi-delete', 'poison-keys'].includes(mutation) && !single)
  const passes = once === null || HARMLESS.includes(once[0]) || (PASSING.includes(once[0]) && client.maxAttempts > 1)
  return chance === 0 && habits.every(copes) && passes
}

function some(list) {
  return list.length > 4 ? `${list.slice(0, 4).join(', ')} and ${list.length - 4} more` : list.join(', ')
}
