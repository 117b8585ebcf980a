interface Placed {
  readonly id: string
  readonly cameAgainId: string | null
}

/**
 * A subject's timeline as its pages show it: what came again, the sender not saying whether it happened again, stands where
 * it came last. All else keeps its place. Ids are in the order of arrival.
 */
export function raiseRepeated<T extends Placed>(timeline: readonly T[]): T[] {
  const shown = timeline.filter((event) => !isRaised(event))
  for (const event of timeline.filter(isRaised)) {
    const before = shown.findLastIndex((other) => placeOf(other) < placeOf(event))
    shown.splice(before + 1, 0, event)
  }
  return shown
}

/** What happened before it came again, and where it came again, are two places. */
export const isRaised = ({ id, cameAgainId }: Placed): boolean => cameAgainId !== null && cameAgainId !== id

/** Where an event stands in lists that show the newest first: where it came, or where it came again. */
export const placeOf = ({ id, cameAgainId }: Placed): string => cameAgainId ?? id
