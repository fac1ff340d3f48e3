// waitComplete() and waitCompleteAll() of both semaphores: when others are done.
import test from 'ava'
import { CoreSemaphore, Semaphore } from '../../index.mjs'
import { deferred, isPending, outcome, settlesWithin, turn } from '../helpers/async.mjs'
import { hold } from '../helpers/locks.mjs'

for (const Class of [CoreSemaphore, Semaphore]) {
  test(`waitComplete() and waitCompleteAll() resolve at once when there is no task (${Class.name})`, async (t) => {
    const semaphore = new Class(1)
    t.false(await isPending(semaphore.waitComplete()))
    t.false(await isPending(semaphore.waitCompleteAll()))
    await semaphore.synchronized(async () => {})
    t.false(await isPending(semaphore.waitComplete()))
    t.false(await isPending(semaphore.waitCompleteAll()))
  })

  test(`waitComplete() resolves at the next completion of any task (${Class.name})`, async (t) => {
    const semaphore = new Class(2)
    const [first, second] = [deferred(), deferred()]
    const runs = [semaphore.synchronized(() => first.promise), semaphore.synchronized(() => second.promise)]
    const complete = semaphore.waitComplete()
    t.true(await isPending(complete))
    second.resolve()
    await settlesWithin(complete)
    t.true(await isPending(runs[0]), 'the other task still runs')
    const next = semaphore.waitComplete()
    t.true(await isPending(next), 'a completion of the past does not count')
    first.resolve()
    await settlesWithin(Promise.all([next, ...runs]))
  })

  test(`waitComplete() resolves at the end of a failed task too (${Class.name})`, async (t) => {
    const semaphore = new Class(1)
    const gate = deferred()
    const run = outcome(() => semaphore.synchronized(() => gate.promise))
    const complete = semaphore.waitComplete()
    gate.reject(new Error('boom'))
    t.is(await settlesWithin(complete), undefined)
    t.is((await run).reason.message, 'boom')
  })

  test(`waitComplete() resolves after the next queued task was started (${Class.name})`, async (t) => {
    const semaphore = new Class(1)
    const log = []
    const gate = deferred()
    const holder = semaphore.synchronized(() => gate.promise)
    const queued = semaphore.synchronized(async () => {
      log.push('next started')
    })
    const complete = semaphore.waitComplete().then(() => {
      log.push('complete')
    })
    gate.resolve()
    await Promise.all([holder, queued, complete])
    t.deepEqual(log, ['next started', 'complete'])
  })

  test(`waitCompleteAll() covers a task that a handler of an earlier completion adds (${Class.name})`, async (t) => {
    const semaphore = new Class(1)
    const gate = deferred()
    let late = false
    const all = semaphore.waitCompleteAll.bind(semaphore)
    const first = semaphore.synchronized(() => gate.promise)
    first.then(() =>
      semaphore.synchronized(async () => {
        await turn()
        late = true
      }),
    )
    const second = semaphore.synchronized(() => turn())
    const done = all()
    gate.resolve()
    await settlesWithin(done)
    t.true(late)
    await Promise.all([first, second])
  })

  test(`waitCompleteAll() resolves although tasks failed (${Class.name})`, async (t) => {
    const semaphore = new Class(1)
    const runs = Promise.allSettled(
      [1, 2, 3].map((i) =>
        semaphore.synchronized(async () => {
          throw new Error(`boom ${i}`)
        }),
      ),
    )
    t.is(await settlesWithin(semaphore.waitCompleteAll()), undefined)
    t.deepEqual(
      (await runs).map((run) => run.reason.message),
      ['boom 1', 'boom 2', 'boom 3'],
    )
  })

  test(`many may wait for completion at once (${Class.name})`, async (t) => {
    const semaphore = new Class(1)
    const holder = await hold(semaphore)
    const waits = Array.from({ length: 50 }, (_, i) => (i % 2 ? semaphore.waitComplete() : semaphore.waitCompleteAll()))
    await holder.release()
    await settlesWithin(Promise.all(waits))
    t.pass()
  })
}

test('waitCompleteAll() resolves when none is left, tasks added meanwhile included', async (t) => {
  const semaphore = new CoreSemaphore(1)
  const finished = []
  const add = (name, then) =>
    semaphore.synchronized(async () => {
      await turn()
      finished.push(name)
      then?.()
    })
  let added
  add('first', () => {
    added = add('added by first', () => {
      add('added by added')
    })
  })
  add('second')
  await settlesWithin(semaphore.waitCompleteAll())
  t.deepEqual(finished, ['first', 'second', 'added by first', 'added by added'])
  await added
})

test('waitCompleteAll() of a Semaphore resolves although the last one was canceled', async (t) => {
  const semaphore = new Semaphore(1)
  const holder = await hold(semaphore)
  const canceled = outcome(() => semaphore.synchronized(async () => t.fail(), { isCanceled: () => true }))
  const all = semaphore.waitCompleteAll()
  t.true(await isPending(all))
  await holder.release()
  await settlesWithin(all)
  t.is((await canceled).reason.code, 'Cancel')
})
