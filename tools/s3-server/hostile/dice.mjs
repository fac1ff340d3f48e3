// Random decisions that follow from a seed alone.

export class Dice {
  #state

  constructor(seed) {
    this.#state = (seed * 0x9e3779b1 + 0x85ebca6b) | 0
  }

  /** From 0 to 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer from `from` to `to`, both included. */
  integer(from, to) {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  pick(choices) {
    return choices[this.integer(0, choices.length - 1)]
  }

  percent(chance) {
    return this.next() * 100 < chance
  }
}
