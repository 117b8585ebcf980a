import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { eventLabel } from '#lib/timeline/labels/event-labels.ts'
import type { Tone } from './tone.ts'

/** How somebody stands by the events of one type, as far as the reader's role gets it. */
interface Stands {
  readonly type: EventType
  readonly state: string | null
  readonly restricted: boolean
}

/** The worst first, of equal ones in the order given; last those of which the role does not learn how they stand. */
export const worstFirst = <S extends Stands>(standings: readonly S[]): S[] =>
  standings.toSorted((a, b) => weightOf(a) - weightOf(b))

/** Answers whether somebody has to look at it, however well all else stands. */
export const isTroubling = (standing: Stands): boolean => weightOf(standing) <= weights.held

/**
 * The statuses beside a person's name: how far they are verified, and before or after it, worst first, whatever else somebody
 * has to look at.
 * @param status the service's own word of the verification; null where it was not read, and the events say it
 */
export function personStatuses<S extends Stands>(
  status: string | null,
  standings: readonly S[],
): (S | (Stands & { readonly type: 'KYC' }))[] {
  const verification =
    status === null
      ? standings.filter(({ type }) => type === 'KYC')
      : [{ type: 'KYC' as const, state: status, restricted: false }]
  const others = standings.filter((one) => one.type !== 'KYC' && isTroubling(one))
  return worstFirst([...verification, ...others])
}

function weightOf({ type, state, restricted }: Stands): number {
  if (restricted && state === null) return weights.done + 1
  return weights[eventLabel({ type, subType: state, status: state, restricted }).tone]
}

const weights = { fail: 0, held: 1, back: 2, wait: 3, move: 4, done: 5 } as const satisfies Record<
  Tone,
  number
>
