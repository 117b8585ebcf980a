import 'server-only'
import type { Envelope } from '#lib/deliveries/rules/envelope.ts'
import { type Subject, subjectId } from '#lib/deliveries/rules/subject.ts'
import { projectTransaction } from '#lib/transactions/rules/transaction.ts'
import { type DeliveryFact, foldSubject, type SubjectEvent, sortByArrival } from '../rules/fold.ts'
import { standingsOf } from '../rules/standing.ts'
import {
  identifierTable,
  type NewEventDeliveryRow,
  type NewEventRow,
  type NewIdentifierRow,
} from '../tables/event.ts'
import type { NewStandingRow } from '../tables/standing.ts'
import { isoTime, toNewRow } from '../tables/table.ts'
import type { NewTransactionRow } from '../tables/transaction.ts'
import type { BodyReading } from './bodies.ts'
import {
  deliveryKey,
  eventKey,
  rowText,
  toNewDeliveryRow,
  toNewEventRow,
  toNewStandingRow,
  toNewTransactionRow,
  toStoredEvidence,
} from './rows.ts'

/** The tables hold this about a subject, by id. Keys show whether a row changes, see `rowText`. */
export interface KnownSubject {
  readonly facts: ReadonlyMap<string, KnownFact>
  readonly events: ReadonlyMap<string, KnownEvent>
  readonly transactionKey: string | null
  readonly standingKeys: ReadonlyMap<string, string>
}

export interface KnownFact {
  readonly fact: DeliveryFact
  readonly key: string
}

export interface KnownEvent {
  readonly reading: BodyReading
  readonly key: string
}

/** The delivery is new, or known with an answer that is judged differently now. */
export interface NewDelivery {
  readonly fact: DeliveryFact
  readonly reading: BodyReading
}

export const nothingKnown: KnownSubject = {
  facts: new Map(),
  events: new Map(),
  transactionKey: null,
  standingKeys: new Map(),
}

/** These changes make the tables agree with the fold. */
export interface SubjectChanges {
  readonly subjectId: string
  /** The subject belongs to this user or entity; readers who see only their own data need it. */
  readonly userUuid: string | null
  readonly events: readonly NewEventRow[]
  readonly removedEvents: readonly string[]
  readonly deliveries: readonly NewEventDeliveryRow[]
  readonly transaction: NewTransactionRow | null
  readonly standings: readonly NewStandingRow[]
  readonly identifiers: readonly NewIdentifierRow[]
  /** All identifiers of the subject get this start time; null when it is the stored one. */
  readonly startedAt: string | null
  /** True when these are all rows of the subject: every other stored row is deleted. */
  readonly complete: boolean
}

/**
 * A subject is folded from everything known about it, and the rows that differ are returned. With `complete`
 * the stored rows are not trusted, and every row is returned.
 */
export function projectSubject(
  subject: Subject,
  known: KnownSubject,
  newDeliveries: readonly NewDelivery[],
  unsureIds: ReadonlySet<string>,
  complete = false,
): { readonly changes: SubjectChanges; readonly known: KnownSubject } {
  const id = subjectId(subject)
  const all = factsOf(known, newDeliveries, unsureIds)
  const readings = readingsOf(known, newDeliveries)
  const fold = foldSubject(subject, all, envelopesOf(readings))
  const facts = new Map<string, KnownFact>()
  const events = new Map<string, KnownEvent>()
  const changedDeliveries: NewEventDeliveryRow[] = []
  const changedEvents: NewEventRow[] = []
  for (const event of fold.events) {
    const reading = readingOf(readings, event)
    const key = eventKey({ ...event, deliveries: event.deliveries.length })
    events.set(event.id, { reading, key })
    if (complete || known.events.get(event.id)?.key !== key)
      changedEvents.push(toNewEventRow(id, event, reading))
    for (const delivery of event.deliveries) {
      const fact = delivery.delivery
      const factKey = deliveryKey({
        ...toStoredEvidence(fact),
        eventId: event.id,
        answer: fact.answer,
        reason: delivery.reason,
      })
      facts.set(fact.id, { fact, key: factKey })
      if (complete || known.facts.get(fact.id)?.key !== factKey) {
        changedDeliveries.push(toNewDeliveryRow(id, event.id, delivery))
      }
    }
  }
  const transaction = projectTransaction(fold)
  const row = transaction && toNewTransactionRow(id, transaction)
  const key = row && rowText(row)
  const standings = standingsOf(fold).map((standing) => toNewStandingRow(id, standing))
  const standingKeys = new Map(standings.map((one) => [one.type, rowText(one)]))
  return {
    changes: {
      subjectId: id,
      userUuid: transaction ? transaction.userUuid : ownerOf(fold.events),
      events: changedEvents,
      removedEvents: [...known.events.keys()].filter((eventId) => !events.has(eventId)),
      deliveries: changedDeliveries,
      transaction: !complete && key === known.transactionKey ? null : row,
      standings: standings.filter(
        ({ type }) => complete || known.standingKeys.get(type) !== standingKeys.get(type),
      ),
      ...identifiersOf(id, all, complete ? null : known, [...events.values(), ...newDeliveries]),
      complete,
    },
    known: { facts, events, transactionKey: key, standingKeys },
  }
}

/** Bodies with the same fingerprint differ only in whitespace and the order of keys, so one reading serves all. */
function readingsOf(
  known: KnownSubject,
  newDeliveries: readonly NewDelivery[],
): ReadonlyMap<string, BodyReading> {
  const readings = new Map<string, BodyReading>()
  for (const { reading } of [...known.events.values(), ...newDeliveries])
    readings.set(reading.fingerprint, reading)
  return readings
}

function readingOf(readings: ReadonlyMap<string, BodyReading>, event: SubjectEvent): BodyReading {
  const reading = readings.get(event.fingerprint)
  if (!reading) throw new Error(`No envelope is known of event ${event.id}`)
  return reading
}

function envelopesOf(readings: ReadonlyMap<string, BodyReading>): ReadonlyMap<string, Envelope> {
  const envelopes = new Map<string, Envelope>()
  for (const [fingerprint, { envelope }] of readings) if (envelope) envelopes.set(fingerprint, envelope)
  return envelopes
}

function factsOf(
  known: KnownSubject,
  newDeliveries: readonly NewDelivery[],
  unsure: ReadonlySet<string>,
): DeliveryFact[] {
  const facts = new Map<string, DeliveryFact>()
  for (const { fact } of [...known.facts.values(), ...newDeliveries]) {
    facts.set(fact.id, unsure.has(fact.id) ? { ...fact, answer: 'unsure' } : fact)
  }
  return sortByArrival([...facts.values()])
}

/**
 * The tables may lack these identifiers. Identifiers are only added: every id that was ever sent still finds the subject.
 */
function identifiersOf(
  id: string,
  everything: readonly DeliveryFact[],
  known: KnownSubject | null,
  sources: readonly { readonly reading: BodyReading }[],
): Pick<SubjectChanges, 'identifiers' | 'startedAt'> {
  const began = earliest(everything)
  const { facts, events } = known ?? nothingKnown
  const before = earliest([...facts.values()].map(({ fact }) => fact))
  const held = new Set([...events.values()].map(({ reading }) => reading.fingerprint))
  const isHeld = ({ reading }: { readonly reading: BodyReading }) => held.has(reading.fingerprint)
  const values = (some: typeof sources) => new Set(some.flatMap(({ reading }) => reading.identifiers))
  const fresh = values(sources.filter((source) => !isHeld(source)))
  const there = fresh.size === 0 ? fresh : values(sources.filter(isHeld))
  return {
    identifiers: [...fresh.difference(there)].map((value) =>
      toNewRow(identifierTable, { subjectId: id, value, startedAt: began }),
    ),
    // A new subject has no stored time.
    startedAt: began === before || known?.facts.size === 0 ? null : isoTime(began),
  }
}

/** The loop takes any number of deliveries; spreading them into `Math.min` would overflow the stack. */
const earliest = (facts: readonly DeliveryFact[]) =>
  facts.reduce((first, { receivedAt }) => Math.min(first, receivedAt), Number.POSITIVE_INFINITY)

/** The latest event that names a user or entity decides. */
const ownerOf = (events: readonly SubjectEvent[]) =>
  events
    .findLast(({ envelope }) => envelope.uuid !== null)
    ?.envelope.uuid?.trim()
    .toLowerCase() ?? null
