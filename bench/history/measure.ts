import type { Envelope } from '#lib/domain/envelope.ts'
import type { History } from './simulate.ts'
import type { Teller, Told } from './tell.ts'

/** Shares, each with what it is a share of, so that they can be added up. */
export interface Figures {
  /** Transactions whose status is not the last true event, once nothing more arrives. Of all transactions. */
  wrongFinal: number
  /**
   * Moments at which an open transaction is shown at another state than the latest of the true events that had been
   * received by then. One moment each, drawn from the time between its first receipt and that of an outcome: the
   * expected value is added up, so no moment has to be drawn. What was not received yet, nobody could know. Of all transactions.
   */
  wrongOpen: number
  /** The same, but for what is true at that moment, received or not, from its creation to its outcome. */
  wrongOpenStrict: number
  /** Milliseconds of the first kind, and milliseconds in all: moments of the clock instead of moments of a transaction. */
  wrongOpenMs: number
  openMs: number
  /** True events beyond the first that one event of the timeline tells of, added up. Of all true events. */
  merges: number
  /** Events of the timeline beyond the first that tell of one true event, added up. Of all true events. */
  splits: number
  /** Neighbours in the timeline whose first deliveries tell of true events in the opposite order. Of all neighbours. */
  inversions: number
  neighbours: number
  transactions: number
  events: number
  deliveries: number
}

export const noFigures = (): Figures => ({
  wrongFinal: 0,
  wrongOpen: 0,
  wrongOpenStrict: 0,
  wrongOpenMs: 0,
  openMs: 0,
  merges: 0,
  splits: 0,
  inversions: 0,
  neighbours: 0,
  transactions: 0,
  events: 0,
  deliveries: 0,
})

/** Adds what a teller makes of one history, after each of its deliveries and at the end. */
export function measure(
  figures: Figures,
  history: History,
  tell: Teller,
  envelopes: ReadonlyMap<string, Envelope>,
): void {
  const { subject, events, arrivals } = history
  const facts = arrivals.map(({ fact }) => fact)
  figures.transactions++
  figures.events += events.length
  figures.deliveries += facts.length
  const whole = tell(subject, facts, envelopes)
  if (whole.status !== events.at(-1)?.fingerprint) figures.wrongFinal++
  addTimeline(figures, history, whole)
  const shown = facts.map((_, index) => tell(subject, facts.slice(0, index + 1), envelopes).status)
  addOpen(figures, history, shown)
  addOpenStrict(figures, history, shown)
}

function addTimeline(figures: Figures, { events, arrivals }: History, { timeline }: Told): void {
  const trueEvent = new Map(arrivals.map(({ fact, event }) => [fact.id, event]))
  const toldOf = timeline.map((deliveries) => deliveries.map(({ id }) => trueEvent.get(id) ?? -1))
  const tellers = events.map(() => 0)
  for (const told of toldOf) {
    const distinct = new Set(told)
    figures.merges += distinct.size - 1
    for (const event of distinct) tellers[event] = (tellers[event] ?? 0) + 1
  }
  for (const count of tellers) figures.splits += Math.max(0, count - 1)
  toldOf.slice(1).forEach((told, index) => {
    figures.neighbours++
    if ((toldOf[index]?.[0] ?? 0) > (told[0] ?? 0)) figures.inversions++
  })
}

function addOpen(figures: Figures, { events, arrivals }: History, shown: readonly (string | null)[]): void {
  let latest = -1
  let wrong = 0
  let open = 0
  for (const [index, { fact, event }] of arrivals.entries()) {
    latest = Math.max(latest, event)
    const known = events[latest]
    const next = arrivals[index + 1]
    if (!known || known.final || !next) break
    const lasts = next.fact.receivedAt - fact.receivedAt
    open += lasts
    if (shown[index] !== known.fingerprint) wrong += lasts
  }
  figures.wrongOpenMs += wrong
  figures.openMs += open
  if (open > 0) figures.wrongOpen += wrong / open
}

function addOpenStrict(
  figures: Figures,
  { events, arrivals }: History,
  shown: readonly (string | null)[],
): void {
  const moments = [...events.map(({ at }) => at), ...arrivals.map(({ fact }) => fact.receivedAt)]
  const outcome = events.find(({ final }) => final)?.at ?? 0
  const created = events[0]?.at ?? 0
  let wrong = 0
  const until = [...new Set(moments)].filter((at) => at <= outcome).sort((a, b) => a - b)
  for (const [index, from] of until.entries()) {
    const to = until[index + 1]
    if (to === undefined) break
    const truth = events.findLast(({ at }) => at <= from)?.fingerprint
    const seen = shown[arrivals.findLastIndex(({ fact }) => fact.receivedAt <= from)]
    if (seen !== truth) wrong += to - from
  }
  if (outcome > created) figures.wrongOpenStrict += wrong / (outcome - created)
}
