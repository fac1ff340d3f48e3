// WeakIndexMap: one object per key for as long as somebody refers to it.
import test from 'ava'
import { WeakIndexMap } from '../../index.mjs'
import { sleep, waitUntil } from '../helpers/async.mjs'
import { gc, gcUntil } from '../helpers/gc.mjs'
import { assertCleanEnd, runFixture } from '../helpers/child.mjs'

const newMap = (params = {}, Class = WeakIndexMap) =>
  new Class({
    toKey: ({ id }) => `key ${id}`,
    toIndex: ({ id }) => ({ id }),
    ...params,
  })

test('get() makes the object once and returns it while it is referenced', async (t) => {
  let made = 0
  const map = newMap({
    toIndex: ({ id }) => {
      made++
      return { id }
    },
  })
  const first = map.get({ id: 1 })
  t.deepEqual(first, { id: 1 })
  t.is(map.get({ id: 1 }), first)
  await gc()
  t.is(map.get({ id: 1 }), first)
  t.is(made, 1)
  t.not(map.get({ id: 2 }), first)
  t.is(made, 2)
})

test('equal keys mean one object, whatever the params', (t) => {
  const map = newMap({ toKey: ({ id }) => String(id).toLowerCase() })
  t.is(map.get({ id: 'A', other: 1 }), map.get({ id: 'a', other: 2 }))
})

test('keys are compared code unit by code unit', (t) => {
  const map = newMap({ toKey: ({ id }) => id })
  const keys = ['', '\0', '\ud800', '\ud801', '__proto__', 'constructor', 'a', 'a\0']
  const objects = keys.map((id) => map.get({ id }))
  t.is(new Set(objects).size, keys.length)
  keys.forEach((id, i) => t.is(map.get({ id }), objects[i]))
})

test('size counts the entries, and gc() drops those whose object is gone', async (t) => {
  const map = newMap()
  t.is(map.size, 0)
  const kept = map.get({ id: 'kept' })
  const makeMany = () => {
    for (let id = 0; id < 100; id++) map.get({ id })
  }
  makeMany()
  t.is(map.size, 101)
  t.true(
    await gcUntil(() => {
      map.gc()
      return map.size === 1
    }),
  )
  t.is(map.get({ id: 'kept' }), kept)
})

test('an entry whose object is gone is made anew', async (t) => {
  const map = newMap()
  const weak = (() => new WeakRef(map.get({ id: 1 })))()
  t.true(await gcUntil(() => weak.deref() === undefined))
  t.deepEqual(map.get({ id: 1 }), { id: 1 })
})

test('gc() honours an override of isGarbageCollected', (t) => {
  class Stubborn extends WeakIndexMap {
    asked = []

    isGarbageCollected(target) {
      this.asked.push(target)
      return target === undefined || target.id === 'drop'
    }
  }
  const map = newMap({}, Stubborn)
  const [keep, drop] = [map.get({ id: 'keep' }), map.get({ id: 'drop' })]
  map.gc()
  t.true(map.asked.includes(keep) && map.asked.includes(drop))
  t.is(map.size, 1)
  t.is(map.get({ id: 'keep' }), keep)
  t.not(map.get({ id: 'drop' }), drop)
})

test('gcInterval collects by itself', async (t) => {
  const map = newMap({ gcInterval: 1 })
  const makeMany = () => {
    for (let id = 0; id < 10; id++) map.get({ id })
  }
  makeMany()
  await waitUntil(async () => {
    await gc()
    return map.size === 0
  })
  t.pass()
})

test('gcInterval does not keep the process alive', async (t) => {
  assertCleanEnd(t, await runFixture('weak-index-map-interval.mjs'))
})

test('a toKey or toIndex that throws leaves the map in order', (t) => {
  let broken = true
  const map = newMap({
    toIndex: ({ id }) => {
      if (broken) throw new Error('boom')
      return { id }
    },
  })
  t.throws(() => map.get({ id: 1 }), { message: 'boom' })
  t.is(map.size, 0)
  broken = false
  t.deepEqual(map.get({ id: 1 }), { id: 1 })
  t.throws(
    () =>
      newMap({
        toKey: () => {
          throw new Error('no key')
        },
      }).get({ id: 1 }),
    { message: 'no key' },
  )
})

for (const gcInterval of [Infinity, 2 ** 31, 1e20]) {
  test(`gcInterval ${gcInterval} is not taken for a short one`, async (t) => {
    let asked = 0
    const map = newMap({ gcInterval })
    map.isGarbageCollected = () => {
      asked++
    }
    map.get('key')
    await sleep(50)
    t.is(asked, 0)
  })
}
