// What the package root offers, for `import` and `require` alike, and that every class can be subclassed.
import { createRequire } from 'node:module'
import test from 'ava'
import * as imported from '../../index.mjs'
import { assertFree, hold } from '../helpers/locks.mjs'

const required = createRequire(import.meta.url)('../../index.js')
const {
  CachedProvider,
  CoreSemaphore,
  LazyInitializer,
  ProcessMonitor,
  Semaphore,
  SynchronizerError,
  SynchronizerInvalidError,
  SynchronizerProvider,
  SynchronizerReentrantExecutionError,
  SynchronizerThrottleError,
  SynchronizerTimeoutError,
  WeakIndexMap,
} = imported

const names = [
  'CachedProvider',
  'CoreSemaphore',
  'LazyInitializer',
  'ProcessMonitor',
  'Semaphore',
  'Synchronizer',
  'SynchronizerError',
  'SynchronizerInvalidError',
  'SynchronizerProvider',
  'SynchronizerReentrantExecutionError',
  'SynchronizerThrottleError',
  'SynchronizerTimeoutError',
  'WeakIndexMap',
  'mergeAsyncGenerators',
  'rebatchTasks',
  'toTasks',
]

test('every export has one identity, imported or required', (t) => {
  for (const name of names) {
    t.is(typeof imported[name], 'function', name)
    t.is(imported[name].name, name)
    t.is(required[name], imported[name], name)
  }
  t.deepEqual(
    Object.keys(required).sort(),
    Object.keys(imported)
      .filter((name) => name !== 'default' && name !== 'module.exports')
      .sort(),
  )
})

test('errors, locks and re-entry work across import and require', async (t) => {
  const lock = new required.SynchronizerProvider().forKey('key')
  t.true(lock instanceof imported.Synchronizer)
  const holder = await hold(lock)
  await t.throwsAsync(
    lock.timeout(1).synchronized(async () => {}),
    { instanceOf: imported.SynchronizerTimeoutError },
  )
  await holder.release()
  const lazy = new required.LazyInitializer(() => new imported.LazyInitializer(() => lazy.get()).get())
  await t.throwsAsync(lazy.get(), { instanceOf: imported.SynchronizerReentrantExecutionError })
})

test('classes must be made with new', (t) => {
  for (const name of names.filter((name) => /^[A-Z]/.test(name)))
    t.throws(() => imported[name](1), { instanceOf: TypeError }, name)
})

test('CoreSemaphore can be subclassed', async (t) => {
  class Counting extends CoreSemaphore {
    calls = 0

    synchronized(cb) {
      this.calls++
      return super.synchronized(cb)
    }

    get idle() {
      return this.numberOfTasks === 0
    }
  }
  const semaphore = new Counting(2)
  t.is(await semaphore.synchronized(async () => 'value'), 'value')
  t.is(semaphore.calls, 1)
  t.true(semaphore.idle)
  t.true(semaphore instanceof CoreSemaphore)
})

test('Semaphore can be subclassed', async (t) => {
  class Single extends Semaphore {
    constructor() {
      super(1, true)
    }
  }
  const semaphore = new Single()
  await semaphore.synchronized(() =>
    t.throwsAsync(
      semaphore.synchronized(async () => {}),
      { code: 'ReentrantExecution' },
    ),
  )
  t.true(semaphore instanceof Semaphore && semaphore instanceof CoreSemaphore)
  await assertFree(t, semaphore)
})

test('SynchronizerProvider can be subclassed', async (t) => {
  class Users extends SynchronizerProvider {
    constructor() {
      super({ providerId: 'users' })
    }

    forUser({ id }) {
      return this.forKey(`user ${id}`, 2)
    }
  }
  const provider = new Users()
  t.is(provider.forUser({ id: 1 }), provider.forUser({ id: 1 }))
  t.is(provider.forUser({ id: 1 }).providerId, 'users')
  await assertFree(t, provider.forUser({ id: 1 }), 2)
})

test('LazyInitializer and CachedProvider can be subclassed', async (t) => {
  class Config extends LazyInitializer {
    constructor() {
      super(async () => ({ size: 3 }))
    }

    async size() {
      return (await this.get()).size
    }
  }
  t.is(await new Config().size(), 3)

  class Token extends CachedProvider {
    constructor() {
      super({ factory: async () => 'token', synchronizerProvider: new SynchronizerProvider(), defaultTTL: 60_000 })
    }

    async get(ttl) {
      return `Bearer ${await super.get(ttl)}`
    }
  }
  t.is(await new Token().get(), 'Bearer token')
})

test('WeakIndexMap and ProcessMonitor can be subclassed', (t) => {
  class Monitor extends ProcessMonitor {}
  t.true(new Monitor().isRunning)

  class Index extends WeakIndexMap {
    has(params) {
      return this.get(params) !== undefined
    }
  }
  t.true(new Index({ toKey: String, toIndex: () => ({}) }).has('key'))
})

test('errors can be subclassed', async (t) => {
  class QueueFull extends SynchronizerThrottleError {}
  class Odd extends SynchronizerError {
    constructor() {
      super({ message: 'odd', code: 'Invalid' })
    }
  }
  const error = new QueueFull()
  t.true(error instanceof QueueFull && error instanceof SynchronizerThrottleError && error instanceof SynchronizerError)
  t.is(error.code, 'Throttle')
  t.true(new Odd().message.includes('odd'))
  for (const Class of [SynchronizerTimeoutError, SynchronizerReentrantExecutionError, SynchronizerInvalidError]) {
    class Sub extends Class {}
    t.true(new Sub('argument') instanceof Class)
  }
})
