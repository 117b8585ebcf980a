import type { Envelope } from '../../../lib/deliveries/rules/envelope.ts'
import type { Subject } from '../../../lib/deliveries/rules/subject.ts'
import type { DeliveryFact } from '../../../lib/timeline/rules/decide-repeat.ts'
import { foldSubject } from '../../../lib/timeline/rules/fold.ts'
import type { History } from './simulate.ts'

/**
 * A figure is a share with its total, so that figures can be added up. Unmarked means that nothing on the page doubts the
 * status (`timeline-rules.ts`), so a reader has no reason to ask.
 */
export interface Figures {
  /** These lives end with a status that is not the latest received true event. The share is of all lives. */
  // biome-ignore-start lint/plugin: counted up while histories are measured
  wrongFinal: number
  wrongFinalUnmarked: number
  /** These lives end with the right status, but doubted. The share is of all lives. */
  rightFinalMarked: number
  // biome-ignore-end lint/plugin: as above
  /**
   * The count holds moments at which an open life is shown in another state than its latest received true event. Each life
   * counts its expected value for one moment between its first receipt and its outcome (or last receipt). The share is of
   * all lives.
   */
  // biome-ignore-start lint/plugin: counted up while histories are measured
  wrongOpen: number
  wrongOpenUnmarked: number
  rightOpenMarked: number
  /**
   * The count sums the true events, beyond the first, that one event of the timeline merges. The share is of all true
   * events.
   */
  merges: number
  /**
   * The count sums the events of the timeline, beyond the first, into which one true event is split. The share is of all
   * true events.
   */
  splits: number
  /** These neighbours in the timeline have true events in the opposite order. The share is of all neighbours. */
  inversions: number
  neighbours: number
  lives: number
  events: number
  deliveries: number
  // biome-ignore-end lint/plugin: as above
}

export const noFigures = (): Figures => ({
  wrongFinal: 0,
  wrongFinalUnmarked: 0,
  rightFinalMarked: 0,
  wrongOpen: 0,
  wrongOpenUnmarked: 0,
  rightOpenMarked: 0,
  merges: 0,
  splits: 0,
  inversions: 0,
  neighbours: 0,
  lives: 0,
  events: 0,
  deliveries: 0,
})

export const add = (one: Figures, other: Figures): Figures => ({
  wrongFinal: one.wrongFinal + other.wrongFinal,
  wrongFinalUnmarked: one.wrongFinalUnmarked + other.wrongFinalUnmarked,
  rightFinalMarked: one.rightFinalMarked + other.rightFinalMarked,
  wrongOpen: one.wrongOpen + other.wrongOpen,
  wrongOpenUnmarked: one.wrongOpenUnmarked + other.wrongOpenUnmarked,
  rightOpenMarked: one.rightOpenMarked + other.rightOpenMarked,
  merges: one.merges + other.merges,
  splits: one.splits + other.splits,
  inversions: one.inversions + other.inversions,
  neighbours: one.neighbours + other.neighbours,
  lives: one.lives + other.lives,
  events: one.events + other.events,
  deliveries: one.deliveries + other.deliveries,
})

/**
 * The function adds what a rule makes of one history, after each of its deliveries and at the end.
 * @param lateMs for how long after a delivery it is folded with what was known at first
 */
export function measure(
  figures: Figures,
  history: History,
  rule: TimelineRule,
  envelopes: ReadonlyMap<string, Envelope>,
  lateMs = 0,
): void {
  const { subject, events, arrivals } = history
  const facts = arrivals.map(({ fact }) => fact)
  figures.lives++
  figures.events += events.length
  figures.deliveries += facts.length
  const atEnd = rule(subject, facts, envelopes)
  const latest = Math.max(...arrivals.map(({ event }) => event))
  const right = atEnd.status === events[latest]?.fingerprint
  if (!right) figures.wrongFinal++
  if (!right && !atEnd.marked) figures.wrongFinalUnmarked++
  if (right && atEnd.marked) figures.rightFinalMarked++
  addTimeline(figures, history, atEnd)
  addOpen(
    figures,
    history,
    arrivals.map(({ fact, atFirst }, index) => {
      const soon = rule(subject, facts.slice(0, index + 1), envelopes)
      const isSame = atFirst === fact
      return { atFirst: isSame ? soon : rule(subject, [...facts.slice(0, index), atFirst], envelopes), soon }
    }),
    lateMs,
  )
}

function addTimeline(figures: Figures, { events, arrivals }: History, { timeline }: FoldedTimeline): void {
  const trueEvent = new Map(arrivals.map(({ fact, event }) => [fact.id, event]))
  const inTimeline = timeline.map((deliveries) => deliveries.map(({ id }) => trueEvent.get(id) ?? -1))
  const timelineEventsOf = events.map(() => 0)
  for (const trueEvents of inTimeline) {
    const distinct = new Set(trueEvents)
    figures.merges += distinct.size - 1
    for (const event of distinct) timelineEventsOf[event] = (timelineEventsOf[event] ?? 0) + 1
  }
  for (const count of timelineEventsOf) figures.splits += Math.max(0, count - 1)
  inTimeline.slice(1).forEach((trueEvents, index) => {
    figures.neighbours++
    if ((inTimeline[index]?.[0] ?? 0) > (trueEvents[0] ?? 0)) figures.inversions++
  })
}

interface FoldedMoment {
  readonly atFirst: FoldedTimeline
  readonly soon: FoldedTimeline
}

function addOpen(
  figures: Figures,
  { events, arrivals }: History,
  folded: readonly FoldedMoment[],
  lateMs: number,
): void {
  let latest = -1
  let [wrong, unmarked, rightMarked, open] = [0, 0, 0, 0]
  for (const [index, { fact, event }] of arrivals.entries()) {
    latest = Math.max(latest, event)
    const known = events[latest]
    const next = arrivals[index + 1]
    const moment = folded[index]
    if (!known || known.final || !next || !moment) break
    const lasts = next.fact.receivedAt - fact.receivedAt
    const early = Math.min(lasts, lateMs)
    open += lasts
    for (const [shown, part] of [
      [moment.atFirst, early],
      [moment.soon, lasts - early],
    ] as const) {
      const right = shown.status === known.fingerprint
      if (!right) wrong += part
      if (!right && !shown.marked) unmarked += part
      if (right && shown.marked) rightMarked += part
    }
  }
  if (open === 0) return
  figures.wrongOpen += wrong / open
  figures.wrongOpenUnmarked += unmarked / open
  figures.rightOpenMarked += rightMarked / open
}

/** The timeline has events in order, each with its deliveries, and the status. */
interface FoldedTimeline {
  readonly timeline: readonly (readonly DeliveryFact[])[]
  readonly status: string | null
  /** A marked event decides the status in doubt, and every page that shows the status says so. */
  readonly marked: boolean
}

/** A rule takes the deliveries so far, in order of arrival. */
export type TimelineRule = (
  subject: Subject,
  facts: readonly DeliveryFact[],
  envelopes: ReadonlyMap<string, Envelope>,
) => FoldedTimeline

/** The rule is that of docs/timeline.md. */
export const byRules: TimelineRule = (subject, facts, envelopes) => {
  const { events, status } = foldSubject(subject, facts, envelopes)
  const deciding = events.find(({ id }) => id === status.eventId)
  return {
    timeline: events.map((event) => event.deliveries.map(({ delivery }) => delivery)),
    status: deciding?.fingerprint ?? null,
    marked: events.some(({ flags }) => flags.includes('decisive')),
  }
}

/** The rule trusts the last arrival: whatever differs from the previous arrival has just happened. */
export const byLastArrival: TimelineRule = (_, facts) => {
  const timeline: DeliveryFact[][] = []
  for (const fact of facts) {
    const last = timeline.at(-1)
    if (last?.[0]?.fingerprint === fact.fingerprint) last.push(fact)
    else timeline.push([fact])
  }
  return { timeline, status: facts.at(-1)?.fingerprint ?? null, marked: false }
}
