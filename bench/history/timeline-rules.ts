import type { Envelope } from '#lib/domain/delivery/envelope.ts'
import type { Subject } from '#lib/domain/delivery/subject.ts'
import type { DeliveryFact } from '#lib/domain/timeline/decide-repeat.ts'
import { foldSubject } from '#lib/domain/timeline/fold.ts'
import type { EventFlag } from '#lib/domain/timeline/subject-event.ts'

/** What is made of some deliveries: events in timeline order, each with its deliveries, and where it stands. */
export interface FoldedTimeline {
  readonly timeline: readonly (readonly DeliveryFact[])[]
  readonly status: string | null
  /** The event that says so carries a flag of `doubts`, and every page that shows the status shows the flag. */
  readonly marked: boolean
}

/** Flags that warn a reader that the state beside them may be wrong. */
const doubtFlags: readonly EventFlag[] = ['order-unsure', 'repeat-unsure']

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
    marked: deciding?.flags.some((flag) => doubtFlags.includes(flag)) ?? false,
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
