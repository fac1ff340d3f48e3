// A queue of 10,000 callers on one semaphore, which the libraries that move the whole queue at every step can stand as well.

import { queued } from './parts/queued.mjs'

// With 100,000 these would take seconds, with 1,000,000 many minutes.
const quadratic = ['async-mutex', 'async-lock']

export default queued(10_000, { extraRows: quadratic })
