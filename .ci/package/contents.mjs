// What is in the packages: that all that is needed is there, and nothing else.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { highestGlibc } from '../highest-glibc.mjs'
import { builtAddon, install, manifest, pack, root, tarballs, work } from './workspace.mjs'

const { tuple, binary } = builtAddon()

export function packRoot() {
  const { file, files } = pack(root)
  tarballs.root = file
  const unexpected = files.filter(
    (path) =>
      !/^((index|fs|s3)\.(js|mjs|d\.ts|d\.mts)|native\.(js|d\.ts)|lib\/([\w-]+\/)*[\w-]+\.js|types\/[\w-]+\.d\.ts|package\.json|LICENSE|README[\w.]*\.md|CHANGELOG\.md)$/.test(
        path,
      ),
  )
  assert.deepEqual(unexpected, [], 'files that do not belong into the package')
  const needed = [
    'index.js',
    'index.mjs',
    'index.d.ts',
    'index.d.mts',
    'fs.js',
    'fs.mjs',
    'fs.d.ts',
    'fs.d.mts',
    's3.js',
    's3.mjs',
    's3.d.ts',
    's3.d.mts',
    'native.js',
    'lib/native/binding.js',
    ...readdirSync(join(root, 'types')).map((file) => `types/${file}`),
    'LICENSE',
    'README.md',
  ]
  const missing = needed.filter((path) => !files.includes(path))
  assert.deepEqual(missing, [], 'files that are missing in the package')
}

export function packPlatform() {
  const folder = join(work, tuple)
  cpSync(join(root, 'npm', tuple), folder, { recursive: true })
  cpSync(join(root, binary), join(folder, binary))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const { file, files } = pack(folder)
  tarballs.platform = file
  assert.deepEqual(files.sort(), ['LICENSE', 'README.md', 'package.json', binary].sort())
}

export function glibc() {
  if (!tuple.endsWith('-gnu')) {
    return
  }
  // Releases are held to 2.28 by the release workflow, which builds against an old glibc.
  console.log(`  ${binary} needs glibc ${highestGlibc(join(root, binary))}`)
}

export function withoutPlatform() {
  const project = install('without', [tarballs.root])
  for (const [file, program] of [
    ['a.cjs', `require('ya-syn-native')`],
    ['a.mjs', `import 'ya-syn-native'`],
  ]) {
    writeFileSync(join(project, file), program)
    const { status, stderr } = spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8' })
    assert.equal(status, 1, file)
    for (const part of [`${process.platform} ${process.arch}`, binary, `${manifest.name}-${tuple}`, 'Remedy: ']) {
      assert.ok(stderr.includes(part), `${part} in: ${stderr}`)
    }
    assert.equal(stderr.split('Error: ').length - 1, 1, `one error in: ${stderr}`)
  }
}
