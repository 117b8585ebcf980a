import 'server-only'
import type pg from 'pg'
import { type EventDeliveryRow, type EventRow, eventDeliveryTable, eventTable } from '../tables/event.ts'
import { type StandingRow, standingTable } from '../tables/standing.ts'
import { columnsOf, toWrittenRow } from '../tables/table.ts'
import { type TransactionRow, transactionTable } from '../tables/transaction.ts'
import { type BodyReading, bodiesOf, readKnownBody } from './bodies.ts'
import { readLostEvents } from './lost-bodies.ts'
import type { KnownEvent, KnownFact, KnownSubject } from './project-subject.ts'
import { deliveryRowKey, eventRowKey, rowText, toDeliveryFact } from './rows.ts'

/** The cache holds about this many bytes, over all subjects. */
const maxBytes = 64 * 1024 * 1024

/** This many subjects are remembered as rebuilt by the current run; beyond that a subject may be rebuilt twice. */
const maxRebuilt = 50_000

/**
 * The cache holds the stored rows of recently used subjects, because the next step of a transaction comes soon.
 * Only the holder of the lease writes, so the cache stays valid.
 */
export class SubjectCache {
  readonly #pool: pg.Pool
  readonly #most: number
  readonly #cached = new Map<string, KnownSubject>()
  #bytes = 0
  /** This run (replay or rebuild) has read the subjects in `#rebuilt` from the log, so their rows can be trusted. */
  #run: string | null = null
  readonly #rebuilt = new Set<string>()

  /** `most` is about the number of bytes. */
  constructor(pool: pg.Pool, most = maxBytes) {
    this.#pool = pool
    this.#most = most
  }

  /** The subjects are returned by id; unknown ones are missing. */
  async load(subjectIds: readonly string[]): Promise<Map<string, KnownSubject>> {
    const known = new Map<string, KnownSubject>()
    const missing: string[] = []
    for (const id of subjectIds) {
      const cached = this.#cached.get(id)
      if (cached) known.set(id, cached)
      else missing.push(id)
    }
    for (const [id, loaded] of await loadSubjects(this.#pool, missing)) known.set(id, loaded)
    return known
  }

  /** The subject was read from the log for this run already. */
  wasRebuilt(subjectId: string, run: string): boolean {
    return this.#run === run && this.#rebuilt.has(subjectId)
  }

  /** The rows that are being written are stored. `run` is the run that has read the subject from the log. */
  keep(subjectId: string, known: KnownSubject, run: string | null): void {
    this.forget(subjectId)
    if (run !== null) this.#remember(subjectId, run)
    this.#cached.set(subjectId, known)
    this.#bytes += bytesOf(known)
    for (const oldest of this.#cached.keys()) {
      if (this.#bytes <= this.#most) break
      this.forget(oldest)
    }
  }

  forget(subjectId: string): void {
    const cached = this.#cached.get(subjectId)
    if (!cached) return
    this.#bytes -= bytesOf(cached)
    this.#cached.delete(subjectId)
  }

  /** The cache is cleared when the result of a write is unknown, or when another process may have written. */
  clear(): void {
    this.#cached.clear()
    this.#bytes = 0
    this.#rebuilt.clear()
  }

  #remember(subjectId: string, run: string): void {
    if (this.#run !== run || this.#rebuilt.size >= maxRebuilt) this.#rebuilt.clear()
    this.#run = run
    this.#rebuilt.add(subjectId)
  }
}

/** The size is an estimate: a summary of an envelope has some twenty short texts, a fact a few ids. */
const bytesOf = ({ facts, events }: KnownSubject) => 500 + 600 * facts.size + 2_500 * events.size

/** The tables hold this about the subjects, by id; unknown ones are missing. */
async function loadSubjects(
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
  /** A small body of a transaction or an account is read with its row. */
  readonly body: Buffer | null
}

const eventOf = (row: EventRow, reading: BodyReading): KnownEvent => ({
  reading,
  key: eventRowKey(row),
})

/**
 * A transaction and an account are made from their bodies; for any other subject the columns hold everything
 * that the fold reads.
 */
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
  const nothing = { fields: new Map(), hidden: [], text: '' }
  const envelope = { type, subType: sub_type, uuid: entity_uuid, data, ...nothing }
  return { fingerprint, unreadable, envelope: unreadable === null ? envelope : null, identifiers: [] }
}

/** A body up to this number of bytes is read with its row; larger ones are read page by page. */
const small = 8 * 1024

const FACTS = `SELECT ${columnsOf(eventDeliveryTable)} FROM event_delivery WHERE subject_id = ANY($1)`

const EVENTS = `
  WITH kept AS MATERIALIZED (
    SELECT ${columnsOf(eventTable)}, CASE WHEN octet_length(envelope) <= ${small} THEN envelope END AS envelope,
           envelope IS NULL AS logged
    FROM event WHERE subject_id = ANY($1)
  )
  SELECT ${columnsOf(eventTable)},
         CASE WHEN NOT logged THEN envelope
              WHEN subject_id LIKE 'transaction:%' OR subject_id LIKE 'bank-account:%' THEN (
                SELECT body FROM delivery WHERE delivery.id = kept.id AND octet_length(body) <= ${small}
              ) END AS body
  FROM kept`

const TRANSACTIONS = `SELECT ${columnsOf(transactionTable)} FROM transaction WHERE subject_id = ANY($1)`

const STANDINGS = `SELECT ${columnsOf(standingTable)} FROM standing WHERE subject_id = ANY($1)`
