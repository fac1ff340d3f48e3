// `import` and `require` give one and the same package, and the types name what is there.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import test from 'ava'
import * as imported from 'ya-syn-native'

const required = createRequire(import.meta.url)('ya-syn-native')
const names = Object.keys(required).sort()

test('P02: import and require give the same names', (t) => {
  t.deepEqual(Object.keys(imported).sort(), names)
})

for (const name of names) {
  test(`P02: ${name} is one object for import and require`, (t) => {
    t.is(imported[name], required[name])
  })
}

test('P02: re-entry and errors work across import and require', async (t) => {
  const lock = new imported.SynchronizerProvider().createSynchronizer({ raiseOnReentrant: true })
  const error = await t.throwsAsync(lock.synchronized(() => lock.synchronized(async () => {})))
  t.true(error instanceof required.SynchronizerReentrantExecutionError)
  t.true(error instanceof imported.SynchronizerError)
})

test('index.d.ts names exactly the values that are there', (t) => {
  const types = readFileSync(new URL('../index.d.ts', import.meta.url), 'utf8')
  const declared = [...types.matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name)
  t.deepEqual(declared.sort(), names)
})
