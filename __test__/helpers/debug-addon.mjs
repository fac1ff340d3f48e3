// The addon as a debug build, which can be told to panic. It is built on first use: the addon that all other tests use may be
// a release build, which has no such hook.
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const root = path.resolve(import.meta.dirname, '../..')
const command = ['build', '--locked', '--lib', '--message-format', 'json-render-diagnostics']

/** A file that Node.js loads in place of the addon when NAPI_RS_NATIVE_LIBRARY_PATH names it; undefined without a compiler. */
export async function debugAddon() {
  let stdout
  try {
    ;({ stdout } = await promisify(execFile)('cargo', command, { cwd: root, maxBuffer: 2 ** 26 }))
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
  const built = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const library = built
    .filter(({ reason, target }) => reason === 'compiler-artifact' && target.name === 'ya_syn_native')
    .flatMap(({ filenames }) => filenames)
    .find((file) => /\.(so|dylib|dll)$/.test(file))
  const addon = path.join(await mkdtemp(path.join(tmpdir(), 'ya-syn-debug-')), 'addon.node')
  await copyFile(library, addon)
  return addon
}
