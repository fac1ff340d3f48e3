// Fails when files import each other in a circle: in the Rust crates by their `use` lines and paths, in JavaScript by
// `require` and `import`. A circle means that neither file can be read, tested or replaced without the other.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(rs|js|mjs)$/.test(file))
const known = new Set(files)

/** The file of a Rust module, given the folder of its crate's sources and its path in the crate. */
function rustFile(root, path) {
  const base = join(root, ...path)
  const candidates = path.length === 0 ? [join(root, 'lib.rs')] : [`${base}.rs`, join(base, 'mod.rs')]
  return candidates.find((file) => known.has(file))
}

/** The path of the module that a Rust file is, in its crate. */
function rustModule(root, file) {
  const path = file.slice(root.length + 1, -'.rs'.length).split('/')
  if (path.at(-1) === 'mod') path.pop()
  return path.length === 1 && ['lib', 'main'].includes(path[0]) ? [] : path
}

/** All paths of a `use` tree: `a::{b, c::{d}}` gives `a::b` and `a::c::d`. */
function* flatten(tree) {
  const open = tree.indexOf('{')
  if (open < 0) {
    yield tree
    return
  }
  const head = tree.slice(0, open)
  let depth = 0
  let from = open + 1
  for (let at = open; at < tree.length; at++) {
    if (tree[at] === '{') depth++
    else if (tree[at] === '}') depth--
    if ((tree[at] === ',' && depth === 1) || depth === 0) {
      const item = tree.slice(from, at).trim()
      if (item !== '') yield* flatten(head + item)
      from = at + 1
    }
    if (depth === 0) return
  }
}

function rustImports(file, text) {
  const root = file.match(/^(?:.*\/)?src(?=\/)/)?.[0]
  if (root === undefined) return []
  const module = rustModule(root, file)
  // `super` means another module in the tests that a file has inside; they may know whatever they test.
  const code = text.replace(/\/\/.*$/gm, '').replace(/\nmod tests \{[\s\S]*?\n\}/, '')
  const paths = [...code.matchAll(/\buse\s+([^;]+);/g)].flatMap(([, tree]) => [...flatten(tree.replace(/\s+/g, ' '))])
  paths.push(...[...code.matchAll(/\b(?:crate|super)(?:::\w+)+/g)].map(([path]) => path))
  return paths.flatMap((path) => {
    const names = path
      .trim()
      .split('::')
      .map((name) => name.trim().split(' ')[0])
    const roots = { crate: [], self: module, super: module.slice(0, -1) }
    // A path may also begin with a child of this module; all others are those of other crates.
    const isChild = roots[names[0]] === undefined && rustFile(root, [...module, names[0]]) !== undefined
    const from = isChild ? module : roots[names.shift()]
    if (from === undefined) return []
    const target = [...from]
    while (names[0] === 'super') {
      target.pop()
      names.shift()
    }
    // The longest beginning that is a file; what is behind it is an item of that file.
    for (let length = names.length; length >= 0; length--) {
      const found = rustFile(root, [...target, ...names.slice(0, length)])
      if (found !== undefined) return found === file ? [] : [found]
    }
    return []
  })
}

function scriptImports(file, text) {
  const specifiers = [...text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\(\s*|\brequire\(\s*)['"](\.[^'"]+)['"]/g)]
  return specifiers
    .map(([, specifier]) => normalize(join(dirname(file), specifier)))
    .filter((target) => known.has(target))
}

const imports = new Map(
  files.map((file) => {
    const text = readFileSync(file, 'utf8')
    return [file, new Set(file.endsWith('.rs') ? rustImports(file, text) : scriptImports(file, text))]
  }),
)

/** Tarjan's strongly connected components, those of more than one file. */
function circles() {
  const index = new Map()
  const low = new Map()
  const stack = []
  const found = []
  const visit = (file) => {
    index.set(file, index.size)
    low.set(file, index.get(file))
    stack.push(file)
    for (const target of imports.get(file)) {
      if (!index.has(target)) {
        visit(target)
        low.set(file, Math.min(low.get(file), low.get(target)))
      } else if (stack.includes(target)) low.set(file, Math.min(low.get(file), index.get(target)))
    }
    if (low.get(file) !== index.get(file)) return
    const circle = stack.splice(stack.indexOf(file))
    if (circle.length > 1) found.push(circle.sort())
  }
  for (const file of files) if (!index.has(file)) visit(file)
  return found
}

const found = circles()
for (const circle of found) {
  console.error(`A circle of ${circle.length} files:`)
  for (const file of circle) {
    console.error(`  ${file} imports ${[...imports.get(file)].filter((target) => circle.includes(target)).join(', ')}`)
  }
}
console.log(`${files.length} files, ${found.length} circles`)
process.exitCode = found.length > 0 ? 1 : 0
