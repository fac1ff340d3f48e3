// Compiles the programs in this folder and in examples/ against the package's types, with each compiler and in each
// way that TypeScript resolves a package. They run in a project of its own, where the package is installed under
// both its names, so that they go through package.json's `exports` as a user's program does.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const require = createRequire(import.meta.url)

// The oldest that knows `lib.esnext.disposable`, the last one written in JavaScript's 5.x line, and the newest.
const compilers = ['typescript-oldest', 'typescript', 'typescript-newest'].map((name) => {
  const manifest = require.resolve(`${name}/package.json`)
  const { version, bin } = require(manifest)
  return { version, file: join(dirname(manifest), bin.tsc) }
})

const withNode = ['ya-syn', 'native', 'examples']
const ways = [
  { type: 'commonjs', module: 'node16', include: withNode },
  { type: 'module', module: 'node16', include: withNode },
  { type: 'commonjs', module: 'nodenext', include: withNode },
  { type: 'module', module: 'nodenext', include: withNode },
  { type: 'commonjs', module: 'esnext', moduleResolution: 'bundler', include: withNode },
  { type: 'module', module: 'esnext', moduleResolution: 'bundler', include: withNode },
  { type: 'commonjs', module: 'commonjs', moduleResolution: 'node10', include: withNode, before: 6 },
  { type: 'commonjs', module: 'node16', include: ['bare'], types: [] },
  { type: 'module', module: 'nodenext', include: ['bare'], types: [], lib: ['es2022', 'dom'] },
]

const project = await mkdtemp(join(tmpdir(), 'ya-syn-types-'))
try {
  for (const type of ['commonjs', 'module']) {
    await layOut(join(project, type), type)
  }
  const runs = compilers.flatMap((compiler) =>
    ways.filter(({ before = Infinity }) => parseInt(compiler.version, 10) < before).map((way) => ({ compiler, way })),
  )
  const failed = []
  await inParallel(runs, 2, async (run) => {
    const title = describe(run)
    const { ok, output } = await compile(run)
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${title}${ok ? '' : `\n${output}`}`)
    if (!ok) {
      failed.push(title)
    }
  })
  console.log(`type tests: ${runs.length - failed.length} of ${runs.length} compile`)
  process.exitCode = failed.length === 0 ? 0 : 1
} finally {
  await rm(project, { recursive: true, force: true })
}

async function layOut(folder, type) {
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'types', private: true, type }))
  await symlink(root, join(folder, 'node_modules/ya-syn-native'), 'junction')
  await symlink(root, join(folder, 'node_modules/ya-syn'), 'junction')
  for (const name of ['@types/node', 'undici-types']) {
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
  }
  for (const name of ['ya-syn', 'native', 'bare', 'exactly.ts']) {
    await cp(join(here, name), join(folder, name), { recursive: true })
  }
  await cp(join(root, 'examples'), join(folder, 'examples'), { recursive: true })
}

async function compile({ compiler, way }) {
  const { type, module, moduleResolution = module, include, types = ['node'], lib = ['es2022'] } = way
  const config = join(project, type, `tsconfig.${compiler.version}.${moduleResolution}.${types.length}.json`)
  await writeFile(
    config,
    JSON.stringify({
      compilerOptions: {
        module,
        moduleResolution,
        types,
        target: 'es2022',
        lib,
        strict: true,
        noImplicitOverride: true,
        skipLibCheck: false,
        noEmit: true,
      },
      include,
    }),
  )
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler.file, '-p', config], (error, stdout, stderr) => {
      resolve({ ok: error === null, output: stdout + stderr })
    })
  })
}

function describe({ compiler, way }) {
  const { type, module, moduleResolution = module, include } = way
  return `TypeScript ${compiler.version}, ${moduleResolution}, ${type}: ${include.join(', ')}`
}

async function inParallel(items, limit, run) {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) {
      await run(item)
    }
  }
  await Promise.all(Array.from({ length: limit }, worker))
}
