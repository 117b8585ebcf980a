import 'server-only'
import type pg from 'pg'
import type { SameReason } from '#lib/domain/fold.ts'
import type { KnownEvent, KnownFact, KnownSubject } from './project-subject.ts'
import { readAgain } from './read-delivery.ts'
import { deliveryKey, eventKey, transactionKey } from './row-keys.ts'

/** What the tables hold of these subjects, by subject id; those never seen are missing. */
export async function loadKnown(
  pool: pg.Pool,
  subjectIds: readonly string[],
): Promise<Map<string, KnownSubject>> {
  if (subjectIds.length === 0) return new Map()
  const [facts, events, transactions] = await Promise.all([
    pool.query<FactRow>(FACTS, [subjectIds]),
    pool.query<EventRow>(EVENTS, [subjectIds]),
    pool.query<{ subject_id: string }>(TRANSACTIONS, [subjectIds]),
  ])
  const known = new Map<string, Loading>()
  for (const row of facts.rows) loading(known, row.subject_id).facts.set(row.delivery_id, factOf(row))
  for (const row of events.rows) loading(known, row.subject_id).events.set(row.id, eventOf(row))
  for (const row of transactions.rows) loading(known, row.subject_id).transactionKey = transactionKey(row)
  return known
}

interface Loading extends KnownSubject {
  readonly facts: Map<string, KnownFact>
  readonly events: Map<string, KnownEvent>
  transactionKey: string | null
}

function loading(known: Map<string, Loading>, subjectId: string): Loading {
  const found = known.get(subjectId)
  if (found) return found
  const made: Loading = { facts: new Map(), events: new Map(), transactionKey: null }
  known.set(subjectId, made)
  return made
}

interface FactRow {
  readonly subject_id: string
  readonly delivery_id: string
  readonly event_id: string
  readonly fingerprint: string
  readonly seq: bigint
  readonly received_at: Date
  readonly receiver_id: string
  readonly answer: 'sure' | 'unsure'
  readonly reason: SameReason
}

function factOf(row: FactRow): KnownFact {
  return {
    fact: {
      id: row.delivery_id,
      order: row.seq,
      receivedAt: row.received_at.getTime(),
      receiver: row.receiver_id,
      fingerprint: row.fingerprint,
      answer: row.answer,
    },
    key: deliveryKey(row.event_id, row.answer, row.reason),
  }
}

interface EventRow {
  readonly subject_id: string
  readonly id: string
  readonly fingerprint: string
  readonly position: number
  readonly rank: number | null
  readonly deliveries: number
  readonly last_received_at: Date
  readonly placed_before: Date | null
  readonly flags: readonly string[]
  readonly envelope: Buffer
}

const eventOf = (row: EventRow): KnownEvent => ({
  body: row.envelope,
  reading: readAgain(row.envelope, row.fingerprint),
  key: eventKey({
    ...row,
    lastReceivedAt: row.last_received_at.getTime(),
    placedBefore: row.placed_before?.getTime() ?? null,
  }),
})

const FACTS = `
  SELECT subject_id, delivery_id, event_id, encode(fingerprint, 'hex') AS fingerprint, seq, received_at, receiver_id,
         answer, reason
  FROM event_delivery WHERE subject_id = ANY($1)`

const EVENTS = `
  SELECT subject_id, id, encode(fingerprint, 'hex') AS fingerprint, position, rank, deliveries, last_received_at,
         placed_before, flags, envelope
  FROM event WHERE subject_id = ANY($1)`

const TRANSACTIONS = 'SELECT * FROM transaction WHERE subject_id = ANY($1)'
