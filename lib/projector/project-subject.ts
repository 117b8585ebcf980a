import 'server-only'
import type { Envelope } from '#lib/domain/envelope.ts'
import { type DeliveryFact, foldSubject, inOrder, type SubjectEvent } from '#lib/domain/fold.ts'
import { identifiersOf } from '#lib/domain/identifier.ts'
import { type Subject, subjectId } from '#lib/domain/subject.ts'
import { projectTransaction } from '#lib/domain/transaction.ts'
import type { Reading } from './read-delivery.ts'
import {
  type DeliveryRecord,
  deliveryRecord,
  type EventRecord,
  eventRecord,
  type IdentifierRecord,
  iso,
  type TransactionRecord,
  transactionRecord,
} from './records.ts'
import { deliveryKey, eventKey, transactionKey } from './row-keys.ts'

/** Everything the tables hold of a subject, by id. Keys tell whether a row changes, see `row-keys.ts`. */
export interface KnownSubject {
  readonly facts: ReadonlyMap<string, KnownFact>
  readonly events: ReadonlyMap<string, KnownEvent>
  readonly transactionKey: string | null
}

export interface KnownFact {
  readonly fact: DeliveryFact
  readonly key: string
}

export interface KnownEvent {
  readonly body: Uint8Array
  readonly reading: Reading
  readonly key: string
}

/** A delivery that joins its subject, or one of it whose answer is seen differently now. */
export interface NewFact {
  readonly fact: DeliveryFact
  readonly body: Uint8Array
  readonly reading: Reading
}

/** What has to be written so that the tables hold the fold. */
export interface SubjectChanges {
  readonly subjectId: string
  /** Whose it is: the user or entity, for those who may see only their own. */
  readonly userUuid: string | null
  readonly events: readonly EventRecord[]
  readonly goneEvents: readonly string[]
  readonly deliveries: readonly DeliveryRecord[]
  readonly transaction: TransactionRecord | null
  readonly identifiers: readonly IdentifierRecord[]
  /** These are all the rows of the subject: whatever else the tables hold of it has to go. */
  readonly whole: boolean
}

/**
 * Folds a subject anew from all that is known of it, and tells what differs from the rows there are. With `whole`
 * the rows are not trusted, and every row is told.
 */
export function projectSubject(
  subject: Subject,
  known: KnownSubject,
  news: readonly NewFact[],
  unsure: ReadonlySet<string>,
  whole = false,
): { readonly changes: SubjectChanges; readonly known: KnownSubject } {
  const id = subjectId(subject)
  const everything = factsOf(known, news, unsure)
  const sources = sourcesOf(everything, known, news)
  const fold = foldSubject(subject, everything, envelopesOf(sources))
  const facts = new Map<string, KnownFact>()
  const events = new Map<string, KnownEvent>()
  const changedDeliveries: DeliveryRecord[] = []
  const changedEvents: EventRecord[] = []
  for (const event of fold.events) {
    const source = sourceOf(sources, event)
    const key = eventKey({ ...event, deliveries: event.deliveries.length })
    events.set(event.id, { ...source, key })
    const before = known.events.get(event.id)
    if (whole || before?.key !== key || !isSame(before.body, source.body))
      changedEvents.push(eventRecord(id, event, source))
    for (const delivery of event.deliveries) {
      const fact = delivery.delivery
      const factKey = deliveryKey(event.id, fact.answer, delivery.reason)
      facts.set(fact.id, { fact, key: factKey })
      if (whole || known.facts.get(fact.id)?.key !== factKey) {
        changedDeliveries.push(deliveryRecord(id, event.id, delivery))
      }
    }
  }
  const transaction = projectTransaction(fold)
  const record = transaction && transactionRecord(id, transaction)
  const key = record && transactionKey(record)
  return {
    changes: {
      subjectId: id,
      userUuid: transaction ? transaction.userUuid : ownerOf(fold.events),
      events: changedEvents,
      goneEvents: [...known.events.keys()].filter((eventId) => !events.has(eventId)),
      deliveries: changedDeliveries,
      transaction: !whole && key === known.transactionKey ? null : record,
      identifiers: identifierRecords(id, everything, whole ? nothing : known, [...events.values()]),
      whole,
    },
    known: { facts, events, transactionKey: key },
  }
}

const nothing: KnownSubject = { facts: new Map(), events: new Map(), transactionKey: null }

interface Source {
  readonly body: Uint8Array
  readonly reading: Reading
}

/**
 * One body for each fingerprint, since bodies of one may differ in space and the order of keys: that of the delivery
 * that came first. It always began an event of its own, so that the tables keep it.
 */
function sourcesOf(
  facts: readonly DeliveryFact[],
  known: KnownSubject,
  news: readonly NewFact[],
): ReadonlyMap<string, Source> {
  const fresh = new Map(news.map((one) => [one.fact.id, one]))
  const sources = new Map<string, Source>()
  const offer = (source: Source | undefined) => {
    if (source && !sources.has(source.reading.fingerprint)) sources.set(source.reading.fingerprint, source)
  }
  for (const { id } of facts) offer(fresh.get(id) ?? known.events.get(id))
  // Where rows were damaged and the log is gone, any body will do.
  for (const source of known.events.values()) offer(source)
  return sources
}

const isSame = (one: Uint8Array, other: Uint8Array) => one === other || Buffer.compare(one, other) === 0

function sourceOf(sources: ReadonlyMap<string, Source>, event: SubjectEvent): Source {
  const source = sources.get(event.fingerprint)
  if (!source) throw new Error(`No envelope is kept for event ${event.id}`)
  return source
}

function envelopesOf(sources: ReadonlyMap<string, Source>): ReadonlyMap<string, Envelope> {
  const envelopes = new Map<string, Envelope>()
  for (const [fingerprint, { reading }] of sources) {
    if (reading.envelope) envelopes.set(fingerprint, reading.envelope)
  }
  return envelopes
}

function factsOf(known: KnownSubject, news: readonly NewFact[], unsure: ReadonlySet<string>): DeliveryFact[] {
  const facts = new Map<string, DeliveryFact>()
  for (const { fact } of [...known.facts.values(), ...news]) {
    facts.set(fact.id, unsure.has(fact.id) ? { ...fact, answer: 'unsure' } : fact)
  }
  return inOrder([...facts.values()])
}

/**
 * The ids that the tables do not hold yet: those of envelopes that say something new, or all of them when the subject
 * turns out to have begun earlier. Ids are only ever added: whatever was said of a subject stays a way to find it.
 */
function identifierRecords(
  id: string,
  everything: readonly DeliveryFact[],
  known: KnownSubject,
  sources: readonly Source[],
): IdentifierRecord[] {
  const startedAt = earliest(everything)
  const moved = startedAt !== earliest([...known.facts.values()].map(({ fact }) => fact))
  const held = new Set(moved ? [] : [...known.events.values()].map(({ reading }) => reading.fingerprint))
  const values = (some: readonly Source[]) =>
    some.flatMap(({ reading }) => (reading.envelope ? identifiersOf(reading.envelope) : []))
  const fresh = sources.filter(({ reading }) => !held.has(reading.fingerprint))
  if (fresh.length === 0) return []
  const there = new Set(values(sources.filter(({ reading }) => held.has(reading.fingerprint))))
  return [...new Set(values(fresh)).difference(there)].map((value) => ({
    subject_id: id,
    value,
    started_at: iso(startedAt),
  }))
}

/** Over any number of deliveries, where spreading into `Math.min` would overflow the stack. */
const earliest = (facts: readonly DeliveryFact[]) =>
  facts.reduce((first, { receivedAt }) => Math.min(first, receivedAt), Number.POSITIVE_INFINITY)

/** Whoever the latest event that names somebody concerns. */
const ownerOf = (events: readonly SubjectEvent[]) =>
  events
    .findLast(({ envelope }) => envelope.uuid !== null)
    ?.envelope.uuid?.trim()
    .toLowerCase() ?? null
