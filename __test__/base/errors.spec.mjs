// The error classes: fields, names, codes, and messages that say what they are about.
import test from 'ava'
import {
  SynchronizerError,
  SynchronizerInvalidError,
  SynchronizerProvider,
  SynchronizerReentrantExecutionError,
  SynchronizerThrottleError,
  SynchronizerTimeoutError,
} from '../../index.mjs'
import { outcome } from '../helpers/async.mjs'
import { hold } from '../helpers/locks.mjs'

const context = { providerId: 'orders', synchronizerId: 'invoice 7', executionId: 'run 42' }

test('SynchronizerError has the fields it was given, and its params', (t) => {
  const params = { message: 'something', code: 'Timeout', context }
  const error = new SynchronizerError(params)
  t.true(error instanceof Error)
  t.true(error.message.includes('something'))
  t.is(error.code, 'Timeout')
  t.deepEqual(error.context, context)
  t.deepEqual(error.params, params)
  t.is(error.name, 'SynchronizerError')
  t.true(error.stack.includes('SynchronizerError'))
})

test('message and context are optional', (t) => {
  const error = new SynchronizerError({ code: 'Invalid' })
  t.is(error.code, 'Invalid')
  t.is(error.context, undefined)
  t.is(typeof error.message, 'string')
})

for (const [Class, name, code] of [
  [SynchronizerTimeoutError, 'SynchronizerTimeoutError', 'Timeout'],
  [SynchronizerThrottleError, 'SynchronizerThrottleError', 'Throttle'],
  [SynchronizerReentrantExecutionError, 'SynchronizerReentrantExecutionError', 'ReentrantExecution'],
]) {
  test(`${name} takes an optional context`, (t) => {
    const error = new Class(context)
    t.true(error instanceof Class && error instanceof SynchronizerError && error instanceof Error)
    t.is(error.name, name)
    t.is(error.code, code)
    t.deepEqual(error.context, context)
    t.is(typeof error.params, 'object')
    for (const id of Object.values(context)) t.true(error.message.includes(id), error.message)
    const bare = new Class()
    t.is(bare.code, code)
    t.is(bare.context, undefined)
    t.is(typeof bare.message, 'string')
  })
}

test('SynchronizerInvalidError takes a message and an optional context', (t) => {
  const error = new SynchronizerInvalidError('no such thing', context)
  t.true(error instanceof SynchronizerInvalidError && error instanceof SynchronizerError && error instanceof Error)
  t.is(error.name, 'SynchronizerInvalidError')
  t.is(error.code, 'Invalid')
  t.deepEqual(error.context, context)
  t.true(error.message.includes('no such thing'))
  t.is(new SynchronizerInvalidError('no such thing').context, undefined)
})

test('errors print and serialize like errors', (t) => {
  const error = new SynchronizerTimeoutError(context)
  t.true(String(error).startsWith('SynchronizerTimeoutError'))
  t.true(Object.prototype.toString.call(error) === '[object Error]')
})

test('the errors of a call name provider, synchronizer and execution', async (t) => {
  const provider = new SynchronizerProvider({ providerId: context.providerId })
  const params = { synchronizerId: context.synchronizerId }
  const executionId = context.executionId
  const lock = provider.createSynchronizer(params)
  const raising = provider.createSynchronizer({ ...params, raiseOnReentrant: true })
  const cb = async () => {}
  const holder = await hold(lock)
  const failures = {
    Timeout: () => lock.timeout(1).synchronized({ cb, executionId }),
    Throttle: () => lock.throttle().synchronized({ cb, executionId }),
    ReentrantExecution: () => raising.synchronized(() => raising.synchronized({ cb, executionId })),
    Cancel: () => provider.createSynchronizer(params).synchronized({ cb, executionId, isCanceled: () => true }),
  }
  for (const [code, fail] of Object.entries(failures)) {
    const { reason } = await outcome(fail)
    t.true(reason instanceof SynchronizerError)
    t.is(reason.code, code)
    t.deepEqual({ ...reason.context }, context)
    for (const id of Object.values(context)) t.true(reason.message.includes(id), `${code}: ${reason.message}`)
  }
  await holder.release()
})

test('a call that fails is found by its class', async (t) => {
  const lock = new SynchronizerProvider().forKey('key')
  const holder = await hold(lock)
  await t.throwsAsync(
    lock.timeout(1).synchronized(async () => {}),
    { instanceOf: SynchronizerTimeoutError, name: 'SynchronizerTimeoutError' },
  )
  await t.throwsAsync(
    lock.throttle().synchronized(async () => {}),
    { instanceOf: SynchronizerThrottleError, name: 'SynchronizerThrottleError' },
  )
  await holder.release()
})
