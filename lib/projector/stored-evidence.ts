import 'server-only'
import type { DeliveryFact } from '#lib/domain/same-or-new.ts'
import type { EventDeliveryRow } from '#lib/tables/event-delivery.ts'

/** How a row of `event_delivery` keeps what was known beside it; both null in rows that know nothing. */
export type StoredEvidence = Pick<EventDeliveryRow, 'others' | 'evidence'>

/** What has nothing to say takes no room. */
export function toStoredEvidence({
  others,
  away = [],
  refused = [],
  earliestAttempt,
  quietSince,
}: DeliveryFact): StoredEvidence {
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
export function fromStoredEvidence({ others, evidence }: StoredEvidence): Partial<DeliveryFact> {
  if (others === null) return {}
  const { away = [], refused = [], triedSince: earliestAttempt = null, quietSince = null } = evidence ?? {}
  return { others, away, refused, earliestAttempt, quietSince }
}

/** The evidence of one fact, to be given to another reading of the same delivery. */
export const evidenceOf = (fact: DeliveryFact): Partial<DeliveryFact> =>
  fromStoredEvidence(toStoredEvidence(fact))
