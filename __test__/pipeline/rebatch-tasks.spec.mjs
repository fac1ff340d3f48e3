// rebatchTasks: where it cuts, how far it pulls, what it costs, and failures of its source.
import test from 'ava'
import { SynchronizerProvider, rebatchTasks, toTasks } from '../../index.mjs'
import { outcome, settlesWithin } from '../helpers/async.mjs'
import { leastCostOf } from '../helpers/cost.mjs'
import { counted, tasks } from '../helpers/sources.mjs'

const execute = (params) => new SynchronizerProvider().executeTasks({ maxTasksInFlight: 10, ...params })

const rebatch = async (source, size) => {
  const batches = []
  for await (const { task } of rebatchTasks(source, size)) batches.push(task)
  return batches
}

for (const [pages, size, batches] of [
  [[[1, 2, 3], [4, 5, 6], [7]], 2, [[1, 2], [3, 4], [5, 6], [7]]],
  [
    [[1], [2], [3], [4], [5]],
    3,
    [
      [1, 2, 3],
      [4, 5],
    ],
  ],
  [[[1, 2, 3, 4]], 4, [[1, 2, 3, 4]]],
  [[[1, 2, 3, 4]], 100, [[1, 2, 3, 4]]],
  [[[], [1], [], [], [2, 3], []], 2, [[1, 2], [3]]],
  [[[], []], 3, []],
  [[], 3, []],
  [[[1, 2, 3]], 1, [[1], [2], [3]]],
]) {
  test(`rebatchTasks cuts ${JSON.stringify(pages)} into ${size}s`, async (t) => {
    t.deepEqual(
      await rebatch(
        pages.map((task) => ({ task })),
        size,
      ),
      batches,
    )
    t.deepEqual(await rebatch(toTasks(pages), size), batches)
  })
}

test('rebatchTasks leaves the pages of its source alone', async (t) => {
  const pages = [
    [1, 2, 3],
    [4, 5],
  ]
  await rebatch(toTasks(pages), 2)
  t.deepEqual(pages, [
    [1, 2, 3],
    [4, 5],
  ])
})

test('rebatchTasks pulls no further than the next batch needs', async (t) => {
  const source = counted(100, (i) => ({ task: [i, i] }))
  const batches = rebatchTasks(source, 4)
  await batches.next()
  t.true(source.nextCalls <= 2)
  await batches.return()
  t.is(source.returnCalls, 1)
})

test('rebatchTasks cuts a large page at a linear cost', async (t) => {
  const page = Array.from({ length: 300_000 }, (_, i) => i)
  const batches = await settlesWithin(rebatch([{ task: page }], 10))
  t.is(batches.length, 30_000)
  t.deepEqual(batches.at(-1), page.slice(-10))
})

test.serial('rebatchTasks joins many small pages at a linear cost', async (t) => {
  const perPage = async (count) => {
    const pages = tasks(count).map(({ task }) => ({ task: [task] }))
    return (await leastCostOf(3, async () => t.is((await rebatch(pages, count))[0].length, count))) / count
  }
  await perPage(1000)
  const few = await perPage(1000)
  const many = await perPage(30_000)
  // Copying the batch for each page would be some 30 times dearer.
  t.true(many < few * 8, `${many} ms a page of 30,000, ${few} ms of 1,000`)
})

test('rebatchTasks hands on the failure of its source after what came before it', async (t) => {
  const reason = new Error('boom')
  const source = async function* () {
    yield { task: [1, 2] }
    throw reason
  }
  const seen = []
  const { reason: got } = await outcome(async () => {
    for await (const { task } of rebatchTasks(source(), 2)) seen.push(task)
  })
  t.is(got, reason)
  t.deepEqual(seen, [[1, 2]])
})

test('rebatchTasks feeds executeTasks', async (t) => {
  const seen = []
  await execute({
    taskSource: rebatchTasks(
      toTasks([
        [1, 2, 3],
        [4, 5],
        [6, 7, 8, 9],
      ]),
      4,
    ),
    taskExecutor: async ({ task }) => {
      seen.push(task)
    },
  })
  t.deepEqual(seen, [[1, 2, 3, 4], [5, 6, 7, 8], [9]])
})
