/** What followed a step, in so many cases of those that were looked at. */
export interface UsualMove {
  readonly direction: string
  readonly step: string
  /** Of a hold; null: of any reason. */
  readonly reason: string | null
  readonly next: string
  readonly moves: number
  /** Half of them took no longer, in ms; null where no time is known. */
  readonly halfMs: number | null
}

/** What usually follows where a transaction stands. */
export interface UsualNext {
  /** Cases that were looked at. */
  readonly count: number
  /** The most frequent first. */
  readonly nexts: readonly UsualStep[]
}

interface UsualStep {
  readonly step: string
  /** Of a hundred cases, 1 to 100. */
  readonly ofHundred: number
  readonly halfMs: number | null
}

/** A hundredth is told from the rest by no fewer than so many; below, nothing is said. */
const fewest = 40
const mostShown = 3

/** By the cases of the same reason to hold, where those are enough; else by all of the step. Null where those are too few. */
export function usualNext(
  moves: readonly UsualMove[],
  at: { readonly direction: string | null; readonly step: string | null; readonly reason: string | null },
): UsualNext | null {
  const alike = moves.filter(({ direction, step }) => direction === at.direction && step === at.step)
  const ofReason = alike.filter(({ reason }) => reason !== null && reason === at.reason)
  const found = count(ofReason) >= fewest ? ofReason : alike.filter(({ reason }) => reason === null)
  const all = count(found)
  if (all < fewest) return null
  const nexts = found
    .toSorted((one, other) => other.moves - one.moves)
    .map(({ next, moves, halfMs }) => ({ step: next, ofHundred: Math.round((100 * moves) / all), halfMs }))
    .filter(({ ofHundred }) => ofHundred > 0)
  return { count: all, nexts: nexts.slice(0, mostShown) }
}

const count = (moves: readonly UsualMove[]) => moves.reduce((sum, { moves: cases }) => sum + cases, 0)
