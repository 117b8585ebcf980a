/** Requests of one receiver and answer that are listed of a minute: the first so many. */
export const mostOfAMinute = 60

/** A request that was not taken; in ms since 1970. */
interface ListedRequest {
  readonly receiverId: string
  readonly why: string
  readonly at: number
}

/** Whether of some minute as many are listed as ever are, so that there may have been more. */
export function isSampleFull(listed: readonly ListedRequest[]): boolean {
  const counts = new Map<string, number>()
  for (const { receiverId, why, at } of listed) {
    const key = `${receiverId} ${why} ${Math.floor(at / 60_000)}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts.values()].some((count) => count >= mostOfAMinute)
}
