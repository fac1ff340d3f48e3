// Every way in which a run can stop, for every kind of run and of limit: afterwards every permit is free and nothing is left.
import { rmSync } from 'node:fs'
import test from 'ava'
import { checkStop, folderOfTasks, kinds, limits, sources, stops } from './kinds.mjs'

const folder = folderOfTasks()
test.after.always(() => rmSync(folder, { recursive: true }))

for (const kind of Object.keys(kinds)) {
  for (const source of Object.keys(sources)) {
    for (const limit of Object.keys(limits)) {
      for (const [stop, { fits }] of Object.entries(stops)) {
        if (kind === 'mapAll' && limit !== 'without limits per key') continue
        if (fits !== undefined && !fits(kind, source)) continue
        test(`${kind} of ${source} ${limit} leaves nothing held when ${stop}`, t => checkStop(t, { kind, source, limit, stop, folder }))
      }
    }
  }
}
