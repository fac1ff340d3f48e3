// The library in a realm of a test runner, which has nothing of Node.js but `process`: no timers, no `Symbol.dispose`, no
// `performance`, no `Buffer`, no `URL`. Callbacks, signals and errors come from this realm, which is another one to it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'
import test from 'ava'
import { isPending, outcome, settlesWithin, turn, waitUntil } from '../helpers/async.mjs'
import { gcUntil } from '../helpers/gc.mjs'
import { assertFree, counts, hold } from '../helpers/locks.mjs'
import { newRealm } from '../helpers/realm.mjs'
import { warningsDuring } from '../helpers/warnings.mjs'

function bareLibrary(file = 'index.js') {
  const { context, load } = newRealm({ process })
  const library = load(file)
  // What compiled the addon's loader is over; from here on nothing may be asked of the realm.
  delete context.process
  return library
}

/** What `using` calls: compilers translate it so that it finds the registered symbol where the realm has none of its own. */
function methodOf(object, name) {
  const symbol = [Symbol[name], Symbol.for(`Symbol.${name}`)].find((symbol) => typeof object[symbol] === 'function')
  return () => object[symbol]()
}

const library = bareLibrary()
const newLock = (limit = 1) => new library.SynchronizerProvider().forKey('key', limit)

test('a bare realm lacks what the library must do without', (t) => {
  const { context } = newRealm()
  const names = [
    'setTimeout',
    'setImmediate',
    'clearTimeout',
    'queueMicrotask',
    'performance',
    'process',
    'Buffer',
    'URL',
    'AbortSignal',
  ]
  t.deepEqual(
    names.filter((name) => vm.runInContext(`typeof ${name}`, context) !== 'undefined'),
    [],
  )
})

for (const [way, call] of Object.entries({
  synchronized: (lock, signal, cb) => lock.synchronized({ cb, signal }),
  timeout: (lock, signal, cb) => lock.timeout(60_000).synchronized({ cb, signal }),
  acquire: async (lock, signal, cb) => {
    const guard = await lock.acquire({ signal })
    try {
      return await cb()
    } finally {
      guard.release()
    }
  },
})) {
  test(`${way}: a lock goes from the holder over a waiter with a signal to one without, in a bare realm`, async (t) => {
    const lock = newLock()
    const holder = await hold(lock)
    const { signal } = new AbortController()
    const second = call(lock, signal, async () => 'second')
    const third = lock.synchronized(async () => 'third')
    await turn()
    t.deepEqual(counts(lock), { tasks: 3, running: 1 })
    await settlesWithin(holder.release())
    t.deepEqual(await settlesWithin(Promise.all([second, third])), ['second', 'third'])
    await assertFree(t, lock)
  })

  test(`${way}: an abort ends the wait in a bare realm, also when a listener stops the event`, async (t) => {
    const lock = newLock()
    const holder = await hold(lock)
    const controller = new AbortController()
    controller.signal.addEventListener('abort', (event) => event.stopImmediatePropagation())
    const waiting = outcome(() => call(lock, controller.signal, async () => t.fail()))
    await turn()
    controller.abort('stop')
    t.deepEqual(await settlesWithin(waiting), { status: 'rejected', reason: 'stop' })
    await holder.release()
    await assertFree(t, lock)
  })
}

test('time limits and guards work in a bare realm', async (t) => {
  const lock = newLock()
  const guard = await lock.acquire()
  const late = await settlesWithin(outcome(() => lock.timeout(1).synchronized(async () => {})))
  t.true(late.reason instanceof library.SynchronizerTimeoutError)
  t.false('undefined' in guard, 'no method is called after a symbol that is missing')
  methodOf(guard, 'dispose')()
  await assertFree(t, lock)
})

test('executeTasks, mapTasks, mapAll and merged generators complete in a bare realm', async (t) => {
  const provider = new library.SynchronizerProvider()
  const seen = []
  const many = Array.from({ length: 20_000 }, (_, i) => i)
  await settlesWithin(
    provider.executeTasks({
      maxTasksInFlight: 4,
      taskSource: library.toTasks(many),
      taskExecutor: async ({ task }) => {
        seen.push(task)
      },
      onProgress: () => {},
    }),
    30_000,
  )
  t.is(seen.length, many.length)
  t.deepEqual([...(await settlesWithin(provider.mapAll([1, Promise.resolve(2), 3], async (x) => x * 2)))], [2, 4, 6])
  const results = []
  for await (const result of provider.mapTasks({
    maxTasksInFlight: 2,
    taskSource: library.toTasks([1, 2]),
    taskMapper: async ({ task }) => task,
  }))
    results.push(result)
  t.deepEqual(results, [1, 2])
  const merged = library.mergeAsyncGenerators([
    (async function* () {
      yield 1
      yield 2
    })(),
  ])
  t.is((await merged.next()).value, 1)
  t.true((await settlesWithin(merged.return())).done)
})

test.serial('a listener that throws becomes a warning in a bare realm, and the permit goes on', async (t) => {
  const lock = new library.SynchronizerProvider({
    onEvent: () => {
      throw new Error('broken listener')
    },
  }).forKey('key')
  const warnings = await warningsDuring(async () => {
    const first = lock.synchronized(() => turn())
    const second = lock.synchronized(async () => 'second')
    t.is(await settlesWithin(second), 'second')
    await first
  })
  t.true(warnings.length >= 8)
  t.deepEqual(
    [...new Set(warnings.map(({ name, message }) => `${name}: ${/broken listener/.test(message)}`))],
    ['SynchronizerWarning: true'],
  )
})

test('keys of a bare realm are closed once nobody has them', async (t) => {
  const provider = new library.SynchronizerProvider()
  for (let i = 0; i < 100; i++) provider.forKey(`key ${i}`)
  t.is(provider.numberOfKeys, 100)
  t.true(await gcUntil(() => provider.numberOfKeys === 0))
})

test('a ProcessMonitor waits, and gives sleep, in a bare realm', async (t) => {
  const monitor = new library.ProcessMonitor()
  await settlesWithin(monitor.wait(1))
  const sleep = await monitor.sleep.get()
  t.is(await sleep(1, 'slept'), 'slept')
})

test('a process-wide lock goes between a bare realm and this one', async (t) => {
  const { SynchronizerProvider } = await import('../../index.mjs')
  const params = { providerId: 'bare realm', scope: 'process' }
  const mine = new SynchronizerProvider(params).forKey('key')
  const theirs = new library.SynchronizerProvider(params).forKey('key')
  const guard = await mine.acquire()
  const waiting = theirs.synchronized({ cb: async () => 'entered', signal: new AbortController().signal })
  t.true(await isPending(waiting))
  guard.release()
  t.is(await settlesWithin(waiting), 'entered')
  await waitUntil(() => mine.stats.numberOfTasks === 0)
})

test('files are read and listed in a bare realm, by paths, URLs and bytes of another', async (t) => {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'realm-'))
  t.teardown(() => rm(dir, { recursive: true }))
  const file = path.join(dir, 'file.txt')
  await writeFile(file, 'text')
  const fs = bareLibrary('fs.js')
  const paths = [file, pathToFileURL(file), Buffer.from(file), new TextEncoder().encode(file)]
  const results = await settlesWithin(fs.readFilesToArray(paths, { encoding: 'utf8' }))
  t.deepEqual(
    [...results].map(({ data, error }) => error?.message ?? data),
    ['text', 'text', 'text', 'text'],
  )
  const listed = []
  for await (const { task } of fs.listFiles(dir)) listed.push(task)
  t.deepEqual(
    listed.map((name) => path.basename(name)),
    ['file.txt'],
  )
})

test('an S3 client takes an endpoint of another realm, and is closed by `await using` there', async (t) => {
  const s3 = bareLibrary('s3.js')
  const client = new s3.S3BulkClient({
    region: 'us-east-1',
    endpoint: new URL('http://127.0.0.1:9'),
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  })
  t.false('undefined' in client)
  await settlesWithin(methodOf(client, 'asyncDispose')())
  const listed = await outcome(() => client.listKeys({ Bucket: 'bucket', Prefix: 'a/' }).next())
  t.regex(String(listed.reason), /closed/)
})
