// The packages that are published fit together: the root, one package per platform, the crate and the lockfile.
import { readFileSync, readdirSync } from 'node:fs'
import { parseTriple } from '@napi-rs/cli'
import test from 'ava'

const root = readJson('package.json')
const libcOfAbi = { gnu: ['glibc'], musl: ['musl'] }

test('npm/ holds one package for each target, and no other', (t) => {
  const names = root.napi.targets.map((target) => parseTriple(target).platformArchABI)
  t.deepEqual(readdirSync(new URL('../../npm', import.meta.url)).sort(), names.sort())
})

for (const target of root.napi.targets) {
  const { platform, arch, abi, platformArchABI } = parseTriple(target)

  test(`the package for ${target} is in step with the root's`, (t) => {
    const { description, ...rest } = readJson(`npm/${platformArchABI}/package.json`)
    const libc = platform === 'linux' ? { libc: libcOfAbi[abi] } : {}
    const binary = `${root.napi.binaryName}.${platformArchABI}.node`
    t.deepEqual(rest, {
      name: `${root.napi.packageName}-${platformArchABI}`,
      version: root.version,
      license: root.license,
      author: root.author,
      os: [platform],
      cpu: [arch],
      ...libc,
      main: binary,
      files: [binary],
      engines: root.engines,
    })
    t.true(description.includes(root.name))
    t.true(readText(`npm/${platformArchABI}/README.md`).includes(rest.name))
  })
}

test('platform packages become dependencies at publish only, since npm ci needs them published', (t) => {
  t.is(root.optionalDependencies, undefined)
})

test('nothing runs when the package is installed', (t) => {
  const atInstall = ['preinstall', 'install', 'postinstall'].filter((name) => name in root.scripts)
  t.deepEqual(atInstall, [])
})

test('the crate has the version and the licence of the package', (t) => {
  const manifest = readText('Cargo.toml')
  const [, crate] = /^\[package\]$([^[]*)/m.exec(manifest)
  t.regex(crate, new RegExp(`^version = "${root.version}"$`, 'm'))
  t.regex(crate, new RegExp(`^license = "${root.license}"$`, 'm'))
  t.regex(readText('LICENSE'), new RegExp(`^${root.license} License`))
})

test('the lockfile has the version of the package and names no registry but npm', (t) => {
  const lock = readJson('package-lock.json')
  t.is(lock.version, root.version)
  const elsewhere = Object.values(lock.packages)
    .map(({ resolved }) => resolved)
    .filter((url) => url !== undefined && !url.startsWith('https://registry.npmjs.org/'))
  t.deepEqual(elsewhere, [])
})

function readText(path) {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}

function readJson(path) {
  return JSON.parse(readText(path))
}
