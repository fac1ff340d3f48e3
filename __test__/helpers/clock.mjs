// A clock that stands still until told otherwise, installed the way fake-timer libraries do: by replacing `Date`.
const RealDate = globalThis.Date

/** Installs the clock for the duration of `fn`. Use in serial tests: `Date` is shared. */
export async function withFakeDate(fn) {
  let now = RealDate.UTC(2024, 0, 1)
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      super(...(args.length === 0 ? [now] : args))
    }

    static now() {
      return now
    }
  }
  try {
    return await fn({
      now: () => now,
      advance(ms) {
        now += ms
      },
    })
  } finally {
    globalThis.Date = RealDate
  }
}
