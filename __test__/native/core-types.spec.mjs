import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import test from 'ava'

const core = createRequire(import.meta.url)('../../lib/native/core.js')

test('the types of the native door name every function that the addon gives, and no other', (t) => {
  const types = readFileSync(new URL('../../lib/native/core.d.ts', import.meta.url), 'utf8')
  const typed = [...types.matchAll(/^export function (\w+)/gm)].map(([, name]) => name)
  t.deepEqual(typed.sort(), Object.keys(core).sort())
})
