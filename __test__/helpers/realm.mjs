// Loads the library into a realm of its own, as jest and the vm pools of vitest do: its modules are compiled anew in a vm
// context, which has the globals that it is given and nothing else of Node.js. Built-in modules and the addon are the process's.
import { readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import path from 'node:path'
import vm from 'node:vm'

const nodeRequire = createRequire(import.meta.url)
const root = path.resolve(import.meta.dirname, '../..')

/** A new realm: its global object, and `load(file)`, which loads a file of the package there. */
export function newRealm(globals = {}) {
  const context = vm.createContext({ ...globals })
  context.global = context
  const cache = new Map()
  const load = (file) => {
    if (file.endsWith('.node')) return nodeRequire(file)
    if (file.endsWith('.json')) return JSON.parse(readFileSync(file, 'utf8'))
    if (cache.has(file)) return cache.get(file).exports
    const module = { exports: {}, filename: file, children: [] }
    cache.set(file, module)
    const fileRequire = createRequire(file)
    const require = Object.assign((id) => (isBuiltin(id) ? nodeRequire(id) : load(fileRequire.resolve(id))), {
      resolve: fileRequire.resolve,
      cache: {},
      main: undefined,
    })
    const run = vm.compileFunction(
      readFileSync(file, 'utf8'),
      ['exports', 'require', 'module', '__filename', '__dirname'],
      { filename: file, parsingContext: context },
    )
    run.call(module.exports, module.exports, require, module, file, path.dirname(file))
    return module.exports
  }
  return { context, load: (name) => load(path.join(root, name)) }
}
