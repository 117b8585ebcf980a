import type { Envelope } from '../../../lib/deliveries/rules/envelope.ts'
import type { Subject } from '../../../lib/deliveries/rules/subject.ts'
import type { DeliveryFact } from '../../../lib/timeline/rules/decide-repeat.ts'
import { foldSubject } from '../../../lib/timeline/rules/fold.ts'

/** What is made of some deliveries: events in timeline order, each with its deliveries, and where it stands. */
export interface FoldedTimeline {
  readonly timeline: readonly (readonly DeliveryFact[])[]
  readonly status: string | null
  /** An event is marked as one on which the status hangs, and every page that shows the status says so. */
  readonly marked: boolean
}

/** The deliveries so far, in order of arrival. */
export type TimelineRule = (
  subject: Subject,
  facts: readonly DeliveryFact[],
  envelopes: ReadonlyMap<string, Envelope>,
) => FoldedTimeline

/** The rules of docs/timeline.md. */
export const byRules: TimelineRule = (subject, facts, envelopes) => {
  const { events, status } = foldSubject(subject, facts, envelopes)
  const deciding = events.find(({ id }) => id === status.eventId)
  return {
    timeline: events.map((event) => event.deliveries.map(({ delivery }) => delivery)),
    status: deciding?.fingerprint ?? null,
    marked: events.some(({ flags }) => flags.includes('decisive')),
  }
}

/** Trusts the last arrival: whatever differs from the previous arrival has just happened. */
export const byLastArrival: TimelineRule = (_, facts) => {
  const timeline: DeliveryFact[][] = []
  for (const fact of facts) {
    const last = timeline.at(-1)
    if (last?.[0]?.fingerprint === fact.fingerprint) last.push(fact)
    else timeline.push([fact])
  }
  return { timeline, status: facts.at(-1)?.fingerprint ?? null, marked: false }
}
