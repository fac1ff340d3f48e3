// Packs the package and its platform package as they would be published, installs them into empty projects without
// running scripts, and uses them there in each way a user would, also from test runners, which come from the registry. Needs a built
// addon; takes about two minutes.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { glibc, packPlatform, packRoot, withoutPlatform } from './package/contents.mjs'
import { alias, bundleExternal, bundleInside, types, useBoth } from './package/programs.mjs'
import { ava, jest, vitest, vmContexts } from './package/runners.mjs'
import { root, run, step, tarballs, work } from './package/workspace.mjs'

const publint = join(root, 'node_modules/.bin/publint')
const attw = join(root, 'node_modules/.bin/attw')

try {
  await step('pack the package', packRoot)
  await step('pack the platform package', packPlatform)
  await step('says how old a glibc the built addon runs on', glibc)
  await step('require and import in an empty project, scripts off', useBoth)
  await step('without the platform package there is one error with the remedy', withoutPlatform)
  await step('types in an empty project, for require and import', types)
  await step('attw', () => run(attw, [tarballs.root], work))
  await step('publint', () => run(publint, ['--strict', tarballs.root], work))
  await step('esbuild, the package kept external', bundleExternal)
  await step('esbuild, the package bundled', bundleInside)
  await step('ya-syn programs run unchanged under the alias', alias)
  await step('each of two vm contexts', vmContexts)
  await step('jest, modules reset, no open handle', jest)
  await step('vitest, in threads, forks and vm contexts', vitest)
  await step('ava in worker threads', ava)
} finally {
  rmSync(work, { recursive: true, force: true })
}
