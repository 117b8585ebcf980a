import 'server-only'
import type pg from 'pg'
import { type EventRow, eventTable } from '../tables/event.ts'
import { type EventDeliveryRow, eventDeliveryTable } from '../tables/event-delivery.ts'
import { rowText } from '../tables/row-text.ts'
import { type StandingRow, standingTable } from '../tables/standing.ts'
import { columnsOf, toWrittenRow } from '../tables/table.ts'
import { type TransactionRow, transactionTable } from '../tables/transaction.ts'
import { bodiesOf } from './bodies-of.ts'
import { toDeliveryFact } from './delivery-fact-row.ts'
import { readLostEvents } from './lost-bodies.ts'
import type { KnownEvent, KnownFact, KnownSubject } from './project-subject.ts'
import { type BodyReading, readKnownBody } from './read-delivery.ts'
import { deliveryRowKey, eventRowKey } from './row-keys.ts'

/** What the tables hold of these subjects, by subject id; those never seen are missing. */
export async function loadSubjects(
  pool: pg.Pool,
  subjectIds: readonly string[],
): Promise<Map<string, KnownSubject>> {
  if (subjectIds.length === 0) return new Map()
  const others = subjectIds.filter((id) => !id.startsWith('transaction:'))
  const [facts, events, transactions, standings] = await Promise.all([
    pool.query<EventDeliveryRow>({ name: 'known-facts', text: FACTS, values: [subjectIds] }),
    pool.query<KnownEventRow>({ name: 'known-events', text: EVENTS, values: [subjectIds] }),
    pool.query<TransactionRow>({
      name: 'known-transactions',
      text: TRANSACTIONS,
      values: [subjectIds],
    }),
    others.length > 0
      ? pool.query<StandingRow>({ name: 'known-standings', text: STANDINGS, values: [others] })
      : { rows: [] },
  ])
  const readings = await readingsOf(pool, events.rows)
  const fingerprints = new Map(events.rows.map((row) => [keyOf(row), fingerprintOf(row)]))
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
  for (const row of transactions.rows)
    loading(known, row.subject_id).transactionKey = rowText(toWrittenRow(transactionTable, row))
  for (const row of standings.rows)
    loading(known, row.subject_id).standingKeys.set(row.type, rowText(toWrittenRow(standingTable, row)))
  return known
}

interface Loading extends KnownSubject {
  readonly facts: Map<string, KnownFact>
  readonly events: Map<string, KnownEvent>
  // biome-ignore lint/plugin: known once the subject is loaded
  transactionKey: string | null
  readonly standingKeys: Map<string, string>
}

function loading(known: Map<string, Loading>, subjectId: string): Loading {
  const found = known.get(subjectId)
  if (found) return found
  const made: Loading = {
    facts: new Map(),
    events: new Map(),
    transactionKey: null,
    standingKeys: new Map(),
  }
  known.set(subjectId, made)
  return made
}

const keyOf = ({ subject_id, id }: { readonly subject_id: string; readonly id: string }) =>
  `${subject_id} ${id}`

const fingerprintOf = (row: EventRow) => row.fingerprint.toString('hex')

const factOf = (row: EventDeliveryRow, fingerprint: string): KnownFact => ({
  fact: toDeliveryFact(row, fingerprint),
  key: deliveryRowKey(row),
})

interface KnownEventRow extends EventRow {
  /** Of a transaction or an account, as long as it is small. */
  readonly body: Buffer | null
}

const eventOf = (row: EventRow, reading: BodyReading): KnownEvent => ({
  reading,
  key: eventRowKey(row),
})

/** A transaction and an account are made from their bodies; of any other subject the columns say all that the fold reads. */
async function readingsOf(pool: pg.Pool, rows: readonly KnownEventRow[]): Promise<Map<string, BodyReading>> {
  const readings = new Map<string, BodyReading>()
  const large: KnownEventRow[] = []
  for (const row of rows) {
    if (!isMadeOfBodies(row)) readings.set(keyOf(row), readingOf(row))
    else if (row.body) readings.set(keyOf(row), readKnownBody(row.body, fingerprintOf(row)))
    else large.push(row)
  }
  for await (const { row, body } of bodiesOf(pool, large))
    readings.set(keyOf(row), readKnownBody(body, fingerprintOf(row)))
  const lost = large.filter((row) => !readings.has(keyOf(row)))
  for (const { row, reading } of await readLostEvents(pool, lost)) readings.set(keyOf(row), reading)
  return readings
}

const isMadeOfBodies = ({ subject_id }: EventRow) =>
  subject_id.startsWith('transaction:') || subject_id.startsWith('bank-account:')

function readingOf(row: EventRow): BodyReading {
  const { type, sub_type, status, entity_uuid, unreadable } = row
  const fingerprint = fingerprintOf(row)
  const data = new Map(status === null ? [] : [['status', status]])
  const envelope = { type, subType: sub_type, uuid: entity_uuid, data, fields: new Map(), text: '' }
  return { fingerprint, unreadable, envelope: unreadable === null ? envelope : null, identifiers: [] }
}

/** Bytes of a body that are read together with its row; larger ones are read page by page. */
const small = 8 * 1024

const FACTS = `SELECT ${columnsOf(eventDeliveryTable)} FROM event_delivery WHERE subject_id = ANY($1)`

const EVENTS = `
  SELECT ${columnsOf(eventTable)},
         CASE WHEN subject_id LIKE 'transaction:%' OR subject_id LIKE 'bank-account:%' THEN (
           SELECT CASE WHEN octet_length(body) <= ${small} THEN body END FROM event_body(id, envelope) AS body
         ) END AS body
  FROM event WHERE subject_id = ANY($1)`

const TRANSACTIONS = `SELECT ${columnsOf(transactionTable)} FROM transaction WHERE subject_id = ANY($1)`

const STANDINGS = `SELECT ${columnsOf(standingTable)} FROM standing WHERE subject_id = ANY($1)`
