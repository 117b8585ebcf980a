/**
 * Why a request to a receiver was not answered 2xx, and what that means for the delivery:
 * - `secret`: it did not carry the secret, so it may be the service's or anybody's;
 * - `final`: it is not taken however often it is sent again;
 * - `deferred`: it was asked to come again, and the next attempt may be taken (§6.8);
 * - `none`: it was no delivery.
 */
export const refusalReasons = {
  'wrong-secret': 'secret',
  'no-authorization': 'secret',
  'other-scheme': 'secret',
  'too-large': 'final',
  encoded: 'final',
  'unknown-receiver': 'final',
  'secret-not-known-yet': 'deferred',
  'secret-not-checkable': 'deferred',
  'queue-full': 'deferred',
  'too-late': 'deferred',
  'no-memory': 'deferred',
  database: 'deferred',
  'too-slow': 'deferred',
  'broken-off': 'deferred',
  'wrong-method': 'none',
} as const satisfies Record<string, 'secret' | 'final' | 'deferred' | 'none'>

export type RefusalReason = keyof typeof refusalReasons
type Meaning = (typeof refusalReasons)[RefusalReason]

/** The status that each is answered with. */
export const refusalStatuses = {
  'wrong-method': 405,
  'unknown-receiver': 404,
  'wrong-secret': 401,
  'no-authorization': 401,
  'other-scheme': 401,
  encoded: 415,
  'too-large': 413,
  'too-slow': 408,
  'broken-off': 400,
  'secret-not-known-yet': 503,
  'secret-not-checkable': 503,
  'queue-full': 503,
  'too-late': 503,
  'no-memory': 503,
  database: 503,
} as const satisfies Record<RefusalReason, number>

/** The reasons of one meaning. */
export const reasonsThatAre = (...meanings: readonly Meaning[]): RefusalReason[] =>
  allReasons.filter((reason) => meanings.includes(refusalReasons[reason]))

/** Reads a reason from a row; null for one of another version. */
export const parseRefusalReason = (text: string): RefusalReason | null =>
  allReasons.find((reason) => reason === text) ?? null

const isReason = (text: string): text is RefusalReason => Object.hasOwn(refusalReasons, text)

const allReasons: readonly RefusalReason[] = Object.keys(refusalReasons).filter(isReason)

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
