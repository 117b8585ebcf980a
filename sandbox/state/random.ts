/** Repeatable chance: the same seed gives the same figures, ids and hashes. */
export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  fraction(): number
  /** A whole number, both ends included. */
  whole(from: number, to: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  chance(probability: number): boolean
  digits(length: number): string
  hex(length: number): string
  uuid(): string
}

export function createRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1))
  const draw = (length: number, base: number) =>
    Array.from({ length }, () => whole(0, base - 1).toString(base)).join('')
  return {
    fraction,
    whole,
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
    chance: (probability) => fraction() < probability,
    digits: (length) => draw(length, 10),
    hex: (length) => draw(length, 16),
    uuid: () =>
      `${draw(8, 16)}-${draw(4, 16)}-4${draw(3, 16)}-${(8 + whole(0, 3)).toString(16)}${draw(3, 16)}-${draw(12, 16)}`,
  }
}
