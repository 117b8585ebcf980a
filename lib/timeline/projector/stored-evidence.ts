import 'server-only'
import type { DeliveryFact } from '../rules/decide-repeat.ts'
import type { EventDeliveryRow } from '../tables/event.ts'

/** The evidence columns of `event_delivery` are both null when nothing is known. */
export type StoredEvidence = Pick<EventDeliveryRow, 'others' | 'evidence'>

/** Empty lists are not stored. */
export function toStoredEvidence({
  otherReceivers,
  offPeriods = [],
  refusedAt = [],
  earliestAttempt,
}: DeliveryFact): StoredEvidence {
  if (otherReceivers === undefined) return { others: null, evidence: null }
  const evidence = {
    ...(offPeriods.length === 0 ? {} : { away: offPeriods }),
    ...(refusedAt.length === 0 ? {} : { refused: refusedAt }),
    ...(typeof earliestAttempt === 'number' ? { triedSince: earliestAttempt } : {}),
  }
  return { others: otherReceivers, evidence: Object.keys(evidence).length === 0 ? null : evidence }
}

/** Stored evidence becomes part of a fact again. */
export function fromStoredEvidence({
  others: otherReceivers,
  evidence,
}: StoredEvidence): Partial<DeliveryFact> {
  if (otherReceivers === null) return {}
  const {
    away: offPeriods = [],
    refused: refusedAt = [],
    triedSince: earliestAttempt = null,
  } = evidence ?? {}
  return { otherReceivers, offPeriods, refusedAt, earliestAttempt }
}

/** The evidence fields of a fact can be merged into another reading of the same delivery. */
export const evidenceOf = (fact: DeliveryFact): Partial<DeliveryFact> =>
  fromStoredEvidence(toStoredEvidence(fact))
