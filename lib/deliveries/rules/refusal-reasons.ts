/**
 * Each reason for an answer other than 2xx has a meaning for the delivery:
 * - `secret`: the request did not carry the secret, so anybody may have sent it;
 * - `closed`: the address is closed, and a repair of its endpoint may open it again before the next attempt;
 * - `final`: the delivery is never accepted, however often it is sent again;
 * - `deferred`: the service was asked to send it again, and the next attempt may be accepted (§6.8);
 * - `none`: the request was no delivery.
 */
export const refusalReasons = {
  'wrong-secret': 'secret',
  'no-authorization': 'secret',
  'other-scheme': 'secret',
  'too-large': 'final',
  encoded: 'final',
  'unknown-receiver': 'closed',
  'secret-not-known-yet': 'deferred',
  'secret-not-checkable': 'deferred',
  'queue-full': 'deferred',
  'too-late': 'deferred',
  'no-memory': 'deferred',
  database: 'deferred',
  'too-slow': 'deferred',
  'broken-off': 'deferred',
  'wrong-method': 'none',
} as const satisfies Record<string, 'secret' | 'closed' | 'final' | 'deferred' | 'none'>

export type RefusalReason = keyof typeof refusalReasons
type Meaning = (typeof refusalReasons)[RefusalReason]

/** Each reason is answered with this HTTP status. */
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

/** The list has the reasons with one of these meanings. */
export const reasonsThatAre = (...meanings: readonly Meaning[]): RefusalReason[] =>
  allReasons.filter((reason) => meanings.includes(refusalReasons[reason]))

/** The parser returns null for a reason of another version. */
export const parseRefusalReason = (text: string): RefusalReason | null =>
  allReasons.find((reason) => reason === text) ?? null

const isReason = (text: string): text is RefusalReason => Object.hasOwn(refusalReasons, text)

const allReasons: readonly RefusalReason[] = Object.keys(refusalReasons).filter(isReason)

/** The request log lists at most this many requests per receiver, answer and minute. */
export const mostOfAMinute = 60

/** A listed request was refused. `at` is in ms since 1970. */
interface ListedRequest {
  readonly receiverId: string
  readonly why: string
  readonly at: number
}

/** `isSampleFull` is true when some minute has as many requests as can be listed. There may have been more. */
export function isSampleFull(listed: readonly ListedRequest[]): boolean {
  const counts = new Map<string, number>()
  for (const { receiverId, why, at } of listed) {
    const key = `${receiverId} ${why} ${Math.floor(at / 60_000)}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts.values()].some((count) => count >= mostOfAMinute)
}
