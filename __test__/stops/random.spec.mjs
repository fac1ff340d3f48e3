// Hundreds of short runs, each of a random kind, that are stopped at a random moment in a random way while their options change
// under them. The seed is printed; YA_SYN_SEED repeats it.
import { getEventListeners } from 'node:events'
import { rmSync } from 'node:fs'
import test from 'ava'
import { outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { KEYS, folderOfTasks, kinds, limits, sources } from './kinds.mjs'

const folder = folderOfTasks()
test.after.always(() => rmSync(folder, { recursive: true }))

/** Numbers from 0 up to 1 that follow from a seed (mulberry32). */
function randomOf(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const RUNS = 400
const reason = new Error('stop')
const failure = new Error('failure')

async function runOnce(t, random) {
  const below = count => Math.floor(random() * count)
  const oneOf = list => list[below(list.length)]
  const wait = async () => {
    if (below(3) === 0) for (let i = below(8); i > 0; i--) await turn()
    else for (let i = below(20); i > 0; i--) await null
  }
  const kind = oneOf(Object.keys(kinds))
  const { limit, locks = [] } = limits[kind === 'mapAll' ? 'without limits per key' : oneOf(Object.keys(limits))]()
  const controller = new AbortController()
  const { signal } = controller
  const failsAt = oneOf([-1, -1, below(12)])
  const source = oneOf(Object.keys(sources))
  const sourceFailsAt = oneOf([-1, -1, below(12)])
  const give = task => { if (task === sourceFailsAt) throw failure; return task }
  let running = 0
  let afterStop = 0
  const results = []
  const limitPerKey = limit && { key: task => KEYS[Number(String(task).slice(-2)) % KEYS.length] ?? KEYS[0], maxTasksInExecution: 1, ...limit }
  const options = {
    maxTasksInFlight: 1 + below(6),
    maxTasksInExecution: oneOf([undefined, 1, 2]),
    taskSource: sources[source](give, folder),
    signal,
    limitPerKey,
    onTaskError: oneOf([undefined, () => {}, () => { throw failure }]),
    onProgress: oneOf([undefined, () => {}]),
    results,
    leavesAfter: oneOf([undefined, below(6)]),
    work: async task => {
      if (signal.aborted) afterStop++
      running++
      try {
        await wait()
        if (task === failsAt) throw failure
        return task
      } finally {
        running--
      }
    },
  }
  const description = `${kind} of ${source}, ${locks.length} locks, fails at ${failsAt} and ${sourceFailsAt}`
  const { taskSource } = options
  let seenByLibrary = {}
  options.onGiven = object => { seenByLibrary = object }
  const ended = settlesWithin(outcome(() => kinds[kind](options)))
  // A guard of somebody else, who gives it back in time.
  const guard = locks.length > 0 && below(2) === 0 ? await oneOf(locks).acquire() : undefined
  await wait()
  for (const object of [seenByLibrary, limitPerKey ?? {}]) for (const name of Object.keys(object)) if (below(2) === 0) delete object[name]
  const abort = oneOf(['now', 'soon', 'never'])
  if (abort === 'now') controller.abort(reason)
  if (abort === 'soon') setImmediate(() => controller.abort(reason))
  await wait()
  guard?.release()
  const { status, reason: told } = await ended
  if (status === 'rejected') t.true(told === reason || told === failure, `${description}: ${told?.stack ?? told}`)
  t.deepEqual([running, afterStop], [0, 0], description)
  for (const lock of locks) t.deepEqual([lock.stats.numberOfTasks, lock.stats.numberOfRunningTasks], [0, 0], description)
  for (const lock of locks) t.is(await lock.throttle().synchronized(async () => 'entered'), 'entered', description)
  t.is(getEventListeners(signal, 'abort').length, 0, description)
  if (taskSource.returnCalls !== undefined) t.true(taskSource.returnCalls <= 1, description)
}

test('runs that are stopped at random while their options change leave nothing held', async t => {
  const seed = Number(process.env.YA_SYN_SEED ?? Date.now() % 2 ** 31)
  t.log(`seed ${seed}`)
  const random = randomOf(seed)
  for (let run = 0; run < RUNS; run++) await runOnce(t, random)
})
