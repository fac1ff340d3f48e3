'use strict'

// How executeTasks learns that both ends of a pipeline are native, so that all of it can run outside of JavaScript.

/**
 * A native executor has under this symbol `(params) => Promise<void> | undefined`, which gives the run when the source
 * fits.
 */
const RUN_NATIVE = Symbol('runNative')

module.exports = { RUN_NATIVE }
