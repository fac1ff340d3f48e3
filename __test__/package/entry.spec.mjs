// `import` and `require` give one and the same package, and the types name what is there.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import test from 'ava'
import ts from 'typescript'
import * as imported from 'ya-syn-native'

const required = createRequire(import.meta.url)('ya-syn-native')
const names = Object.keys(required).sort()

test('import and require give the same names', (t) => {
  t.deepEqual(Object.keys(imported).sort(), names)
})

for (const name of names) {
  test(`${name} is one object for import and require`, (t) => {
    t.is(imported[name], required[name])
  })
}

test('re-entry and errors work across import and require', async (t) => {
  const lock = new imported.SynchronizerProvider().createSynchronizer({ raiseOnReentrant: true })
  const error = await t.throwsAsync(lock.synchronized(() => lock.synchronized(async () => {})))
  t.true(error instanceof required.SynchronizerReentrantExecutionError)
  t.true(error instanceof imported.SynchronizerError)
})

test('index.d.ts declares exactly the values that are there', (t) => {
  const declared = declarations().flatMap(({ kind, name }) => (isValue(kind) ? [name.text] : []))
  t.deepEqual(declared.sort(), names)
})

test('what index.d.ts declares in a class is there', (t) => {
  for (const { name, members } of declarations().filter(ts.isClassDeclaration)) {
    for (const member of members.filter((m) => ts.isMethodDeclaration(m) || ts.isGetAccessor(m))) {
      const isStatic = member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword)
      const holder = isStatic ? required[name.text] : required[name.text].prototype
      t.true(member.name.text in holder, `${name.text}.${member.name.text}`)
    }
  }
})

/** What `index.d.ts` declares: all that it re-exports from `types/`. */
function declarations() {
  return parsed('index.d.ts')
    .filter(ts.isExportDeclaration)
    .flatMap(({ moduleSpecifier }) => parsed(moduleSpecifier.text.replace(/\.js$/, '.d.ts')))
    .filter(({ name }) => name !== undefined)
}

function parsed(file) {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements
}

function isValue(kind) {
  return kind === ts.SyntaxKind.ClassDeclaration || kind === ts.SyntaxKind.FunctionDeclaration
}
