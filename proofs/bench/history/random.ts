/** The numbers look random and are the same for the same seed. */
export interface RandomSource {
  /** The number is at least 0 and less than 1. */
  next(): number
  /** The distribution is even between two bounds. */
  between(low: number, high: number): number
  /** Most numbers are near zero, and a few are many times the mean. */
  waiting(mean: number): number
  /** The distribution is logarithmic: as many numbers lie between 3 s and 30 s as between 1 h and 10 h. */
  spread(low: number, high: number): number
  chance(share: number): boolean
  pick<T>(from: readonly (readonly [weight: number, item: T])[]): T
}

/** mulberry32 has 32 bits of state, which is enough for a benchmark. */
export function seeded(seed: number): RandomSource {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    waiting: (mean) => -Math.log(1 - next()) * mean,
    spread: (low, high) => low * (high / low) ** next(),
    chance: (share) => next() < share,
    pick: (from) => {
      let left = next() * from.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of from) {
        left -= weight
        if (left < 0) return item
      }
      const last = from.at(-1)
      if (!last) throw new Error('There is nothing to pick from')
      return last[1]
    },
  }
}
