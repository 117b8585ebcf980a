/** A step was followed by this one in this many of the counted cases. */
export interface UsualMove {
  readonly direction: string
  readonly step: string
  /** `reason` is the reason of a hold; null means any reason. */
  readonly reason: string | null
  readonly next: string
  readonly moves: number
  /** Half of the cases took no longer than this, in ms; null when no time is known. */
  readonly halfMs: number | null
}

/** These steps usually follow the current status. */
export interface UsualNext {
  /** This many cases were counted. */
  readonly count: number
  /** The most frequent step comes first. */
  readonly nexts: readonly UsualStep[]
}

interface UsualStep {
  readonly step: string
  /** This many of a hundred cases went on like this, 1 to 100. */
  readonly ofHundred: number
  readonly halfMs: number | null
}

/** At least this many cases are needed to speak of hundredths; below that nothing is said. */
const fewest = 40
const mostShown = 3

/**
 * Cases with the same reason for the hold count when there are enough; otherwise all cases of the step do. Null
 * when those are too few.
 */
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
    .map(({ next, moves, halfMs }, at) => ({
      step: next,
      ofHundred: hundredths(moves, all, at === 0),
      halfMs,
    }))
    .filter(({ ofHundred }) => ofHundred > 0)
  return { count: all, nexts: nexts.slice(0, mostShown) }
}

/** Only the most frequent step is rounded up, so all together are at most a hundred; it is a hundred only without others. */
function hundredths(moves: number, all: number, isMostFrequent: boolean): number {
  const share = (100 * moves) / all
  if (!isMostFrequent) return Math.floor(share)
  return moves < all ? Math.min(Math.round(share), 99) : 100
}

const count = (moves: readonly UsualMove[]) => moves.reduce((sum, { moves: cases }) => sum + cases, 0)
