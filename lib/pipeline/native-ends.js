'use strict'

// How executeTasks learns that both ends of a pipeline are native, so that the whole of it can run outside of JavaScript.

/** On a native executor: `(params) => Promise<void> | undefined`, the run when the source fits it. */
const RUN_NATIVE = Symbol('runNative')

module.exports = { RUN_NATIVE }
