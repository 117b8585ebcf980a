import 'server-only'
import type pg from 'pg'
import type { SameReason } from '#lib/domain/fold.ts'
import { bodiesOf } from './bodies-of.ts'
import { factKept, type KeptFact } from './kept-fact.ts'
import type { KnownEvent, KnownFact, KnownSubject } from './project-subject.ts'
import { type Reading, readAgain } from './read-delivery.ts'
import { deliveryKey, eventKey, transactionKey } from './row-keys.ts'

/** What the tables hold of these subjects, by subject id; those never seen are missing. */
export async function loadKnown(
  pool: pg.Pool,
  subjectIds: readonly string[],
): Promise<Map<string, KnownSubject>> {
  if (subjectIds.length === 0) return new Map()
  const [facts, events, transactions] = await Promise.all([
    pool.query<FactRow>({ name: 'known-facts', text: FACTS, values: [subjectIds] }),
    pool.query<EventRow>({ name: 'known-events', text: EVENTS, values: [subjectIds] }),
    pool.query<{ subject_id: string }>({
      name: 'known-transactions',
      text: TRANSACTIONS,
      values: [subjectIds],
    }),
  ])
  const readings = await readingsOf(pool, events.rows)
  const fingerprints = new Map(events.rows.map((row) => [keyOf(row), row.fingerprint]))
  const known = new Map<string, Loading>()
  for (const row of facts.rows) {
    const fingerprint = fingerprints.get(keyOf({ subject_id: row.subject_id, id: row.event_id }))
    if (fingerprint === undefined) continue
    loading(known, row.subject_id).facts.set(row.delivery_id, factOf(row, fingerprint))
  }
  for (const row of events.rows) {
    const reading = readings.get(keyOf(row))
    if (reading) loading(known, row.subject_id).events.set(row.id, eventOf(row, reading))
  }
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

const keyOf = ({ subject_id, id }: { readonly subject_id: string; readonly id: string }) =>
  `${subject_id} ${id}`

interface FactRow extends KeptFact {
  readonly reason: SameReason
}

const factOf = (row: FactRow, fingerprint: string): KnownFact => ({
  fact: factKept(row, fingerprint),
  key: deliveryKey(row.event_id, row.answer, row.reason),
})

interface EventRow {
  readonly subject_id: string
  readonly id: string
  readonly fingerprint: string
  readonly type: string | null
  readonly sub_type: string | null
  readonly status: string | null
  readonly entity_uuid: string | null
  readonly position: number
  readonly rank: number | null
  readonly deliveries: number
  readonly last_received_at: Date
  readonly placed_before: Date | null
  readonly flags: readonly string[]
  readonly unreadable: string | null
  /** Of a transaction, as long as it is small. */
  readonly body: Buffer | null
}

const eventOf = (row: EventRow, reading: Reading): KnownEvent => ({
  reading,
  key: eventKey({
    ...row,
    lastReceivedAt: row.last_received_at.getTime(),
    placedBefore: row.placed_before?.getTime() ?? null,
  }),
})

/** A transaction is made from its bodies; of any other subject the columns say all that the fold reads. */
async function readingsOf(pool: pg.Pool, rows: readonly EventRow[]): Promise<Map<string, Reading>> {
  const readings = new Map<string, Reading>()
  const large: EventRow[] = []
  for (const row of rows) {
    if (!isOfTransaction(row)) readings.set(keyOf(row), readingOf(row))
    else if (row.body) readings.set(keyOf(row), readAgain(row.body, row.fingerprint))
    else large.push(row)
  }
  for await (const { row, body } of bodiesOf(pool, large))
    readings.set(keyOf(row), readAgain(body, row.fingerprint))
  return readings
}

const isOfTransaction = ({ subject_id }: EventRow) => subject_id.startsWith('transaction:')

function readingOf({ fingerprint, unreadable, type, sub_type, entity_uuid, status }: EventRow): Reading {
  const data = new Map(status === null ? [] : [['status', status]])
  const envelope = { type, subType: sub_type, uuid: entity_uuid, data, whole: new Map(), text: '' }
  return { fingerprint, unreadable, envelope: unreadable === null ? envelope : null, identifiers: [] }
}

/** Bytes of a body that are read together with its row; larger ones are read page by page. */
const small = 8 * 1024

const FACTS = `
  SELECT subject_id, delivery_id, event_id, seq, received_at, receiver_id, answer, reason, others, evidence
  FROM event_delivery WHERE subject_id = ANY($1)`

const EVENTS = `
  SELECT subject_id, id, encode(fingerprint, 'hex') AS fingerprint, type, sub_type, status, entity_uuid, position, rank,
         deliveries, last_received_at, placed_before, flags, unreadable,
         CASE WHEN subject_id LIKE 'transaction:%' THEN (
           SELECT CASE WHEN octet_length(body) <= ${small} THEN body END FROM event_body(id, envelope) AS body
         ) END AS body
  FROM event WHERE subject_id = ANY($1)`

const TRANSACTIONS = 'SELECT * FROM transaction WHERE subject_id = ANY($1)'
