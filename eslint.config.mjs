// What the linter adds to the tests and the compilers. Layout is not its business.
import js from '@eslint/js'
import globals from 'globals'

const BUILT_IN = 'Abort\\w+|\\w*Array|ArrayBuffer|Buffer|Date|\\w*Error|Event\\w*|Function|Map|Object|Promise|RegExp|Set|URL|Weak\\w+'

const off = (names) => Object.fromEntries(Object.keys(names).map((name) => [name, 'off']))

export default [
  { ignores: ['native.js', '**/*.d.ts', '**/*.ts', 'target/', '**/node_modules/', 'coverage/'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, globals: globals.node },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // `==` lets undefined, null and 0 pass for one another; `== null` stays, it means "neither".
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-var': 'error',
      'prefer-const': 'error',
      // Underscores mark what a signature needs and the body does not.
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' }],
    },
  },
  // Child processes of the tests run with --expose-gc.
  { files: ['__test__/**'], languageOptions: { globals: { gc: 'readonly' } } },
  { files: ['**/*.js'], languageOptions: { sourceType: 'commonjs' } },
  { files: ['lib/**/*.js', 'index.js'], rules: { strict: ['error', 'global'] } },
  {
    // A test runner may load the library into a realm that lacks, replaces or fakes what Node.js has: whatever is no
    // part of the language comes from a `node:` module, once, when a file is loaded. Values may be of another realm.
    files: ['lib/**/*.js', 'index.js', 'fs.js', 's3.js'],
    languageOptions: { globals: { ...off(globals.node), require: 'readonly', module: 'writable' } },
    rules: {
      'no-restricted-globals': ['error', 'globalThis', 'global'],
      'no-restricted-properties': [
        'error',
        { object: 'Symbol', property: 'dispose', message: 'A realm may lack it: take it from lib/base/disposal.js.' },
        { object: 'Symbol', property: 'asyncDispose', message: 'A realm may lack it: take it from lib/base/disposal.js.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: `BinaryExpression[operator='instanceof'][right.name=/^(${BUILT_IN})$/]`,
          message: 'The value may be of another realm: ask node:util/types, or tell it by its shape.',
        },
      ],
    },
  },
  {
    // Tests make faulty sources on purpose, and some run with --expose-gc.
    files: ['__test__/**/*.mjs', 'benchmark/**/*.mjs'],
    languageOptions: { globals: { gc: 'readonly' } },
    rules: { 'require-yield': 'off', 'no-unsafe-finally': 'off' },
  },
]
