import type { Envelope } from '#lib/deliveries/rules/envelope.ts'
import type { Subject } from '#lib/deliveries/rules/subject.ts'
import { arrangeTimeline } from './arrange-timeline.ts'
import type { DeliveryFact } from './decide-repeat.ts'
import { groupDeliveries } from './group-deliveries.ts'
import { markDecisive } from './mark-decisive.ts'
import { type SubjectStatus, statusOf } from './status.ts'
import type { SubjectEvent } from './subject-event.ts'

export type { DeliveryFact, SameReason } from './decide-repeat.ts'
export type { SubjectStatus } from './status.ts'
export type { EventFlag, ReasonedDelivery, SubjectEvent } from './subject-event.ts'

/** All that is known of a subject: its events in timeline order, and where it stands. */
export interface SubjectFold {
  readonly subject: Subject
  readonly events: readonly SubjectEvent[]
  readonly status: SubjectStatus
}

/**
 * Makes a subject's timeline from its deliveries. Only the set of facts counts: not their order, batches or
 * repetitions. `envelopes` are by fingerprint; a fingerprint without one is an unreadable body.
 */
export function foldSubject(
  subject: Subject,
  facts: readonly DeliveryFact[],
  envelopes: ReadonlyMap<string, Envelope>,
): SubjectFold {
  const events = markDecisive(arrangeTimeline(groupDeliveries(sortByArrival(facts), envelopes)))
  return { subject, events, status: statusOf(events) }
}

/** Each once, in order of arrival. */
export function sortByArrival(facts: readonly DeliveryFact[]): DeliveryFact[] {
  const byId = new Map(facts.map((fact) => [fact.id, fact]))
  return [...byId.values()].sort((a, b) => (a.order < b.order ? -1 : 1))
}
