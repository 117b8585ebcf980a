import { type On, type Size, sizes } from './two-sizes.ts'

/** Medians in milliseconds. */
export interface Compared {
  readonly small: number
  readonly large: number
  /** Of the larger size by the smaller, turn by turn, so that what else the machine does hits both. */
  readonly ratio: number
}

/** The same work on either size by turns, after a first part that warms up; `clock` measures how long it took. */
export async function compareSizes(
  on: On,
  turns: number,
  work: (size: Size, turn: number) => Promise<void>,
  clock = byTheWall,
): Promise<Compared> {
  const times: Record<Size, number[]> = { small: [], large: [] }
  for (let turn = -turns / 3; turn < turns; turn++) {
    for (const size of turn % 2 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
      const took = await on(size, () => clock(() => work(size, turn + turns)))
      if (turn >= 0) times[size].push(took)
    }
  }
  const ratio = median(times.large.map((large, turn) => large / (times.small[turn] ?? Number.NaN)))
  const [small, large] = [median(times.small), median(times.large)]
  return { small, large, ratio }
}

export const formatComparison = ({ small, large, ratio }: Compared): string =>
  `${large.toFixed(2)} ms at ${sizes.large} events, ${small.toFixed(2)} ms at ${sizes.small}: ${ratio.toFixed(2)}`

async function byTheWall(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
