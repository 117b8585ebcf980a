import 'server-only'
import type { DeliveryFact } from '#lib/domain/same-or-new.ts'
import type { EventDeliveryRow } from '#lib/tables/event-delivery.ts'

/** How a row of `event_delivery` keeps what was known beside it; both null in rows that know nothing. */
export type KeptEvidence = Pick<EventDeliveryRow, 'others' | 'evidence'>

/** What has nothing to say takes no room. */
export function keptEvidence({
  others,
  away = [],
  refused = [],
  earliestAttempt,
  quietSince,
}: DeliveryFact): KeptEvidence {
  if (others === undefined) return { others: null, evidence: null }
  const evidence = {
    ...(away.length === 0 ? {} : { away }),
    ...(refused.length === 0 ? {} : { refused }),
    ...(typeof earliestAttempt === 'number' ? { triedSince: earliestAttempt } : {}),
    ...(typeof quietSince === 'number' ? { quietSince } : {}),
  }
  return { others, evidence: Object.keys(evidence).length === 0 ? null : evidence }
}

/** The evidence of a fact that was kept so. */
export function evidenceKept({ others, evidence }: KeptEvidence): Partial<DeliveryFact> {
  if (others === null) return {}
  const { away = [], refused = [], triedSince: earliestAttempt = null, quietSince = null } = evidence ?? {}
  return { others, away, refused, earliestAttempt, quietSince }
}

/** The evidence of one fact, to be given to another reading of the same delivery. */
export const evidenceIn = (fact: DeliveryFact): Partial<DeliveryFact> => evidenceKept(keptEvidence(fact))
