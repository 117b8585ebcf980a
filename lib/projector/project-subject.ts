import 'server-only'
import type { Envelope } from '#lib/domain/envelope.ts'
import { type DeliveryFact, foldSubject, type SubjectEvent } from '#lib/domain/fold.ts'
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
  rowText,
  type TransactionRecord,
  transactionRecord,
} from './records.ts'

/** Everything the tables hold of a subject, by key. */
export interface KnownSubject {
  readonly facts: ReadonlyMap<string, KnownFact>
  readonly events: ReadonlyMap<string, KnownEvent>
  /** The row as text, to see whether it changes. */
  readonly transaction: string | null
}

export interface KnownFact {
  readonly fact: DeliveryFact
  /** The row as text. */
  readonly row: string
}

export interface KnownEvent {
  readonly body: Uint8Array
  readonly reading: Reading
  readonly row: string
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
}

/** Folds a subject anew from all that is known of it, and tells what differs from the rows there are. */
export function projectSubject(
  subject: Subject,
  known: KnownSubject,
  news: readonly NewFact[],
  unsure: ReadonlySet<string>,
): SubjectChanges {
  const id = subjectId(subject)
  const sources = sourcesOf(known, news)
  const fold = foldSubject(subject, factsOf(known, news, unsure), envelopesOf(sources))
  const events = fold.events.map((event) => eventRecord(id, event, sourceOf(sources, event)))
  const eventIds = new Set(events.map((event) => event.id))
  const transaction = projectTransaction(fold)
  const record = transaction && transactionRecord(id, transaction)
  return {
    subjectId: id,
    userUuid: transaction?.userUuid ?? events.at(-1)?.entity_uuid ?? null,
    events: events.filter((event) => known.events.get(event.id)?.row !== rowText(event)),
    goneEvents: [...known.events.keys()].filter((key) => !eventIds.has(key)),
    deliveries: fold.events
      .flatMap((event) => event.deliveries.map((delivery) => deliveryRecord(id, event.id, delivery)))
      .filter((delivery) => known.facts.get(delivery.delivery_id)?.row !== rowText(delivery)),
    transaction: record && rowText(record) !== known.transaction ? record : null,
    identifiers: newIdentifiers(id, known, news),
  }
}

interface Source {
  readonly body: Uint8Array
  readonly reading: Reading
}

/** One body for each fingerprint: the one kept, else the one that came first. */
function sourcesOf(known: KnownSubject, news: readonly NewFact[]): ReadonlyMap<string, Source> {
  const sources = new Map<string, Source>()
  for (const source of [...known.events.values(), ...news]) {
    if (!sources.has(source.reading.fingerprint)) sources.set(source.reading.fingerprint, source)
  }
  return sources
}

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
  return [...facts.values()]
}

/** Ids are only ever added: whatever was said of a subject stays a way to find it. */
function newIdentifiers(id: string, known: KnownSubject, news: readonly NewFact[]): IdentifierRecord[] {
  const identifiersIn = (sources: Iterable<Source>) =>
    new Map(
      [...sources]
        .flatMap(({ reading }) => (reading.envelope ? identifiersOf(reading.envelope) : []))
        .map((identifier) => [`${identifier.kind}:${identifier.value}`, identifier]),
    )
  const old = identifiersIn(known.events.values())
  return [...identifiersIn(news)]
    .filter(([key]) => !old.has(key))
    .map(([, { kind, value }]) => ({
      subject_id: id,
      kind,
      value,
      reversed: [...value].reverse().join(''),
    }))
}
