// Semaphore: what it adds to CoreSemaphore (re-entry, events, throttle, isCanceled).
import test from 'ava'
import {
  CoreSemaphore,
  Semaphore,
  SynchronizerError,
  SynchronizerReentrantExecutionError,
  SynchronizerThrottleError,
} from '../../index.mjs'
import { outcome, settlesWithin } from '../helpers/async.mjs'
import { assertFree, hold } from '../helpers/locks.mjs'
import { warningsDuring } from '../helpers/warnings.mjs'

test('a Semaphore is a CoreSemaphore', (t) => {
  const semaphore = new Semaphore(3)
  t.true(semaphore instanceof CoreSemaphore)
  t.is(semaphore.concurrentExecution, 3)
})

test('a callback never starts inside the call itself', async (t) => {
  const semaphore = new Semaphore(1)
  let started = false
  const run = semaphore.synchronized(async () => {
    started = true
  })
  t.false(started)
  await run
  t.true(started)
})

test('the callback is told whether it runs re-entrantly', async (t) => {
  const semaphore = new Semaphore(1)
  const seen = []
  await semaphore.synchronized(async (isReentrant) => {
    seen.push(isReentrant)
    await semaphore.synchronized(async (inner) => {
      seen.push(inner)
    })
  })
  t.deepEqual(seen, [false, true])
})

test('raiseOnReentrant rejects a re-entrant call and leaves the semaphore usable', async (t) => {
  const semaphore = new Semaphore(1, true)
  await semaphore.synchronized(async () => {
    const error = await t.throwsAsync(
      semaphore.synchronized(async () => t.fail()),
      {
        instanceOf: SynchronizerReentrantExecutionError,
      },
    )
    t.is(error.code, 'ReentrantExecution')
  })
  await assertFree(t, semaphore)
})

test('onEvent hears a normal run as Acquire, Acquired, Release, Finish', async (t) => {
  for (const callback of [
    async () => {},
    async () => {
      throw new Error('boom')
    },
  ]) {
    const events = []
    await outcome(() =>
      new Semaphore(1).synchronized(callback, {
        onEvent: (type) => {
          events.push(type)
        },
      }),
    )
    t.deepEqual(events, ['Acquire', 'Acquired', 'Release', 'Finish'])
  }
})

test('onEvent hears a re-entrant run as Enter, Exit, Finish', async (t) => {
  const semaphore = new Semaphore(1)
  const events = []
  await semaphore.synchronized(() =>
    semaphore.synchronized(async () => {}, {
      onEvent: (type) => {
        events.push(type)
      },
    }),
  )
  t.deepEqual(events, ['Enter', 'Exit', 'Finish'])
})

test('throttle rejects at once when no permit is free', async (t) => {
  const semaphore = new Semaphore(1)
  const events = []
  const onEvent = (type) => {
    events.push(type)
  }
  t.is(await semaphore.synchronized(async () => 'free', { throttle: true }), 'free')
  const holder = await hold(semaphore)
  const error = await t.throwsAsync(
    settlesWithin(semaphore.synchronized(async () => t.fail(), { throttle: true, onEvent })),
  )
  t.true(error instanceof SynchronizerThrottleError)
  t.deepEqual(events, ['Throttle'])
  await holder.release()
  await assertFree(t, semaphore)
})

test('isCanceled is asked once, when the permit is granted', async (t) => {
  const semaphore = new Semaphore(1)
  const holder = await hold(semaphore)
  const events = []
  let asked = 0
  const run = outcome(() =>
    semaphore.synchronized(async () => t.fail(), {
      isCanceled: () => {
        asked++
        return true
      },
      onEvent: (type) => {
        events.push(type)
      },
    }),
  )
  t.is(asked, 0, 'not before')
  await holder.release()
  const { reason } = await settlesWithin(run)
  t.true(reason instanceof SynchronizerError)
  t.is(reason.code, 'Cancel')
  t.is(asked, 1)
  t.deepEqual(events, ['Acquire', 'Cancel'])
  await assertFree(t, semaphore)
})

test.serial('a throwing onEvent disturbs nothing and surfaces as a warning', async (t) => {
  const semaphore = new Semaphore(1)
  const warnings = await warningsDuring(async () => {
    const onEvent = (type) => {
      throw new Error(`listener broke at ${type}`)
    }
    t.is(await semaphore.synchronized(async () => 'value', { onEvent }), 'value')
  })
  t.true(warnings.some((warning) => warning.message.includes('listener broke')))
  await assertFree(t, semaphore)
})
