import 'server-only'
import type pg from 'pg'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import type { DeliveryFact } from '../rules/fold.ts'
import { type EventRow, eventDeliveryTable, eventTable } from '../tables/event.ts'
import { columnsOf, without } from '../tables/table.ts'
import { type BodyReading, bodiesOf, readDelivery } from './bodies.ts'
import { readLostEvents, readShortened } from './lost-bodies.ts'
import {
  type KnownEvent,
  type KnownFact,
  type KnownSubject,
  type NewDelivery,
  nothingKnown,
} from './project-subject.ts'
import { type DeliveryFactRow, fromStoredEvidence, toDeliveryFact } from './rows.ts'

/** The subject is read from the log. `known` holds only rows whose bodies have left the log. */
export interface LoggedSubject {
  readonly known: KnownSubject
  readonly newDeliveries: readonly NewDelivery[]
  /** These deliveries were stored under this subject, although their bodies name another. */
  readonly misfiled: readonly string[]
  /** This many of its deliveries are no longer in the log. */
  readonly dropped: number
}

/**
 * Subjects are read without trusting the tables. Deliveries in the log are read from it; for deliveries that
 * have left it, the stored rows are used, whether their bodies are kept, shortened or lost.
 */
export async function readFromLog(
  database: pg.Pool | pg.ClientBase,
  subjectIds: readonly string[],
): Promise<Map<string, LoggedSubject>> {
  if (subjectIds.length === 0) return new Map()
  const { rows } = await database.query<DeliveryFactRow>({ name: 'kept', text: KEPT, values: [subjectIds] })
  const logged = await readLogged(
    database,
    rows.map(({ delivery_id }) => delivery_id),
  )
  const dropped = rows.filter(({ delivery_id }) => !logged.has(delivery_id))
  const events = await readKeptEvents(database, dropped)
  const subjects = new Map<string, SubjectReading>(
    subjectIds.map((id) => [id, { facts: new Map(), events: new Map(), newDeliveries: [], misfiled: [] }]),
  )
  for (const row of rows) {
    const subject = subjects.get(row.subject_id)
    const found = logged.get(row.delivery_id)
    if (!subject) continue
    if (found?.subject === row.subject_id) {
      const { fact, reading } = found.fact
      subject.newDeliveries.push({ fact: { ...fact, ...fromStoredEvidence(row) }, reading })
    } else if (found) subject.misfiled.push(row.delivery_id)
    else keepDropped(subject, row, events)
  }
  return new Map(
    [...subjects].map(([id, { facts, events: kept, newDeliveries, misfiled }]) => [
      id,
      { known: { ...nothingKnown, facts, events: kept }, newDeliveries, misfiled, dropped: facts.size },
    ]),
  )
}

interface SubjectReading {
  readonly facts: Map<string, KnownFact>
  readonly events: Map<string, KnownEvent>
  readonly newDeliveries: NewDelivery[]
  readonly misfiled: string[]
}

/** Only the tables know this delivery; it belongs to the event whose body has its content. */
function keepDropped(
  subject: SubjectReading,
  row: DeliveryFactRow,
  events: ReadonlyMap<string, KnownEvent>,
): void {
  const event = events.get(keyOf(row.subject_id, row.event_id))
  if (!event) return
  const fact = toDeliveryFact(row, event.reading.fingerprint)
  subject.facts.set(fact.id, { fact, key: '' })
  subject.events.set(row.event_id, event)
}

const keyOf = (subjectId: string, eventId: string) => `${subjectId} ${eventId}`

/** The events of these deliveries are read from the kept parts of their bodies. */
async function readKeptEvents(
  database: pg.Pool | pg.ClientBase,
  rows: readonly DeliveryFactRow[],
): Promise<Map<string, KnownEvent>> {
  const wanted = new Map(
    rows.map(({ subject_id, event_id }) => [keyOf(subject_id, event_id), { subject_id, id: event_id }]),
  )
  const { rows: kept } = await database.query<KeptEventRow>(KEPT_EVENTS, [
    [...wanted.values()].map(({ subject_id }) => subject_id),
    [...wanted.values()].map(({ id }) => id),
  ])
  const events = new Map<string, KnownEvent>()
  const keep = (row: Keyed, reading: BodyReading) =>
    events.set(keyOf(row.subject_id, row.id), { reading, key: '' })
  for await (const { row, body } of bodiesOf(database, kept))
    keep(row, row.is_whole ? readDelivery(body).reading : readShortened(row, body))
  const lost = kept.filter((row) => !events.has(keyOf(row.subject_id, row.id)))
  for (const { row, reading } of await readLostEvents(database, lost)) keep(row, reading)
  return events
}

type Keyed = Pick<EventRow, 'subject_id' | 'id'>

interface KeptEventRow extends EventRow {
  /** A shortened body keeps the fingerprint of the whole one, because it can no longer be computed. */
  readonly is_whole: boolean
}

interface Logged {
  readonly subject: string
  readonly fact: NewDelivery
}

/** The log holds these deliveries; each comes with the subject that its body names. */
async function readLogged(
  database: pg.Pool | pg.ClientBase,
  deliveryIds: readonly string[],
): Promise<Map<string, Logged>> {
  const logged = new Map<string, Logged>()
  for (let from = 0; from < deliveryIds.length; ) {
    const page = deliveryIds.slice(from, from + most)
    const { rows } = await database.query<LogRow>({ name: 'logged', text: LOGGED, values: [page] })
    for (const row of rows) {
      const { reading, subject } = readDelivery(row.body)
      const fact: DeliveryFact = {
        id: row.id,
        order: row.seq,
        receivedAt: row.received_at.getTime(),
        receiver: row.receiver_id,
        fingerprint: reading.fingerprint,
        answer: row.lost ? 'unsure' : 'sure',
      }
      logged.set(row.id, { subject: subjectId(subject), fact: { fact, reading } })
    }
    // A page that was cut because of its size continues after its last delivery.
    from += rows.at(-1)?.cut ? (rows.at(-1)?.n ?? 0) : page.length
  }
  return logged
}

/** One statement reads this many deliveries and bytes of bodies; one body alone may have more. */
const most = 2_000
const mostBytes = 8 * 1024 * 1024

interface LogRow {
  readonly n: number
  readonly cut: boolean
  readonly id: string
  readonly seq: bigint
  readonly received_at: Date
  readonly receiver_id: string
  readonly body: Buffer
  readonly lost: boolean
}

const KEPT = `
  SELECT ${columnsOf(without(eventDeliveryTable, 'reason'))} FROM event_delivery WHERE subject_id = ANY($1)`

const KEPT_EVENTS = `
  SELECT ${columnsOf(eventTable)}, body_left_at IS NULL AS is_whole
  FROM unnest($1::text[], $2::uuid[]) AS wanted (subject_id, id) JOIN event USING (subject_id, id)`

const LOGGED = `
  WITH found AS (
    SELECT n, d.id, seq, received_at, receiver_id, body, sum(octet_length(body)) OVER (ORDER BY n) AS bytes,
           sum(octet_length(body)) OVER () > ${mostBytes} AS cut
    FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, n) JOIN delivery d USING (id)
  )
  SELECT n::int, cut, found.id, seq, received_at, receiver_id, body, lost.delivery_id IS NOT NULL AS lost
  FROM found LEFT JOIN answer_lost lost ON lost.delivery_id = found.id
  WHERE bytes <= ${mostBytes} OR bytes = octet_length(body) ORDER BY n`
