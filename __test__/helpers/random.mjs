// Chance that can be repeated.

/** Numbers in [0, 1) that depend on the seed alone. */
export function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A seed by chance, or that of the environment variable SEED; the log of the test says which. */
export function seedOf(t) {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  t.log(`SEED=${seed}`)
  return seed
}
