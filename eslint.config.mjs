// What the linter adds to the tests and the compilers. Layout is not its business.
import js from '@eslint/js'
import globals from 'globals'

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
    // Tests make faulty sources on purpose, and some run with --expose-gc.
    files: ['__test__/**/*.mjs', 'benchmark/**/*.mjs'],
    languageOptions: { globals: { gc: 'readonly' } },
    rules: { 'require-yield': 'off', 'no-unsafe-finally': 'off' },
  },
]
