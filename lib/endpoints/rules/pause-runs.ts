interface Pause {
  readonly began: number
  readonly ended: number
}

/** ASSUMED: pauses closer to each other than this, in ms, have one cause, such as a process that dies again and again. */
const joinedWithinMs = 5 * 60_000

/** A run of pauses is a gap when they last for so long together, in ms, and for such a share of its time. */
const [leastMs, leastShare] = [60_000, 0.25]

/**
 * The latest run of short pauses, from its first to its last, if together they leave so little time that the attempts of §6.8 may
 * have met nothing else; null otherwise. Times in ms since 1970, in order.
 */
export function latestPauseRun(pauses: readonly Pause[]): Pause | null {
  const from = pauses.findLastIndex(
    ({ began }, index) => index === 0 || began - (pauses[index - 1]?.ended ?? began) > joinedWithinMs,
  )
  const run = pauses.slice(Math.max(0, from))
  const [first, last] = [run[0], run.at(-1)]
  if (!first || !last || run.length < 2) return null
  const paused = run.reduce((sum, { began, ended }) => sum + ended - began, 0)
  const whole = { began: first.began, ended: last.ended }
  return paused >= leastMs && paused >= leastShare * (whole.ended - whole.began) ? whole : null
}
