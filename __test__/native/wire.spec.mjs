import { createRequire } from 'node:module'
import test from 'ava'

const require = createRequire(import.meta.url)

test('integers that cross mean the same in both languages', (t) => {
  t.deepEqual({ ...require('../../lib/native/core.js').wire() }, require('../../lib/native/wire.js'))
})
