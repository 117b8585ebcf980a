import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { openChecks, passedChecks } from '#lib/deliveries/rules/passed-checks.ts'
import { retryWindowSeconds } from '#lib/deliveries/rules/retry-schedule.ts'
import { eventLabel, findWords } from '#lib/timeline/labels/event-labels.ts'
import type { Tone } from './tone.ts'

/** `Stands` is a status of somebody by the events of one type, as far as the reader's role may see it. */
interface Stands {
  readonly type: EventType
  readonly state: string | null
  readonly restricted: boolean
}

/** The worst status comes first, and equal ones keep their order. Statuses that the role may not see come last. */
export const worstFirst = <S extends Stands>(standings: readonly S[]): S[] =>
  standings.toSorted((a, b) => weightOf(a) - weightOf(b))

/** `isTroubling` is true for a status on which a person must act. */
export const isTroubling = (standing: Stands): boolean => weightOf(standing) <= weights.held

/** The service gave its own status of a verification when it was last asked, at this time; null when it gave none. */
interface SaidStatus {
  readonly status: string | null
  readonly statusAt: string
}

/** `MovedState` is a state by the events, and when it last moved. `doubt`: the order of its event is in doubt. */
interface MovedState {
  readonly state: string | null
  readonly lastMoveAt: string
  readonly doubt?: unknown
}

/**
 * The statuses beside a person's name are their verification and every troubling status, sorted from worst to best. All times are
 * ISO 8601.
 * @param said null when the service was never asked, so that the events decide
 */
export function personStatuses<S extends Stands & MovedState>(
  said: SaidStatus | null,
  standings: readonly S[],
): (S | (Stands & { readonly type: 'KYC' }))[] {
  const byEvents = standings.filter(({ type }) => type === 'KYC')
  const state = laterStatus(said, byEvents)
  const verification = state === null ? byEvents : [{ type: 'KYC' as const, state, restricted: false }]
  const others = standings.filter((one) => one.type !== 'KYC' && isTroubling(one))
  return worstFirst([...verification, ...others])
}

/**
 * The later word on a verification counts, of the service or of the events: this is the service's own status, or null when the
 * events decide.
 */
export function laterStatus(said: SaidStatus | null, byEvents: readonly MovedState[]): string | null {
  // An event whose order is in doubt may have happened as long before as a retry comes (§6.8).
  const movedAt = ({ lastMoveAt, doubt }: MovedState) =>
    Date.parse(lastMoveAt) - (doubt ? retryWindowSeconds * 1_000 : 0)
  const isOld = byEvents.some((one) => one.state !== null && movedAt(one) > Date.parse(said?.statusAt ?? ''))
  return isOld ? null : (said?.status ?? null)
}

function weightOf({ type, state, restricted }: Stands): number {
  if (restricted && state === null) return weights.done + 1
  // The lists of what needs attention count every check that has neither passed nor is open.
  if (type === 'AML' && state !== null && findWords(type, state) === null && !isOneOf(openChecks, state))
    return isOneOf(passedChecks, state) ? weights.done : weights.held
  return weights[eventLabel({ type, subType: state, status: state, restricted }).tone]
}

const isOneOf = (states: readonly string[], state: string) => states.includes(state)

const weights = { fail: 0, held: 1, back: 2, wait: 3, move: 4, done: 5 } as const satisfies Record<
  Tone,
  number
>
