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
      // A promise that nobody awaits or returns by accident is an unhandled rejection later.
      'no-async-promise-executor': 'error',
      'no-promise-executor-return': 'error',
      // An error that is thrown anew keeps its cause.
      'preserve-caught-error': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'object-shorthand': 'error',
      // Underscores mark what a signature needs and the body does not.
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'all' }],
    },
  },
  { files: ['**/*.js'], languageOptions: { sourceType: 'commonjs' } },
  { files: ['lib/**/*.js', 'index.js'], rules: { strict: ['error', 'global'] } },
]
