import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { bodyVisibility, showBody } from '#lib/access/rules/events.ts'
import { revealableFields, showRecord } from '#lib/access/rules/records.ts'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { countReading } from '#lib/audit/counted-entries.ts'
import { parseEnvelope } from '#lib/deliveries/rules/envelope.ts'
import { parseSubjectId, type Subject, subjectId } from '#lib/deliveries/rules/subject.ts'
import { writtenField } from '#lib/deliveries/rules/text-field.ts'
import { emailsOf } from '#lib/identity/users/directory.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { bodyOf, textParameter } from '#lib/platform/db/statements.ts'
import { isUuid } from '#lib/platform/rules/ids.ts'
import {
  type DeliveryView,
  type EventDetailsView,
  eventColumns,
  type ListedEventRow,
  toEventView,
} from './event-view.ts'
import type { EventDeliveryRow, EventRow } from './tables/event.ts'

/** The subject is an account, a person or company, or an event that names nobody; it comes with its timeline. */
export interface SubjectDetailsView {
  readonly subject: Subject
  /** A customer's own bank account has these details; null for any other subject. */
  readonly account: AccountView | null
  /** The events are in order. */
  readonly events: readonly EventDetailsView[]
}

/** The view of a customer's own bank account lists the fields that may be revealed. */
export interface AccountView extends AccountDetails {
  readonly uuid: string
  readonly revealable: readonly string[]
}

/**
 * The subject is not a transaction and is shown as the caller's role may see it; null when there is none.
 * `newest` limits its events to the last ones; all by default. Throws `NotAllowed`.
 */
export async function getSubject(
  caller: Caller,
  text: string,
  newest: number | null = null,
): Promise<SubjectDetailsView | null> {
  requirePermission(caller, 'see-everything')
  const subject = parseSubjectId(textParameter(text))
  if (!subject || subject.kind === 'transaction') return null
  const events = await readDetails(caller.role, subjectId(subject), { newest })
  if (events.length === 0) return null
  const person = events.findLast(({ entityUuid }) => entityUuid !== null)?.entityUuid ?? null
  await countReading(caller, 'read.subject', subjectId(subject), person)
  const account = subject.kind === 'bank-account' ? await readAccount(subject.id) : null
  return { subject, account: account && toAccountView(caller.role, subject.id, account.details), events }
}

const toAccountView = (role: StaffRole, uuid: string, details: AccountDetails): AccountView => ({
  ...showRecord(role, 'account', { uuid, ...details }),
  revealable: revealableFields(role, 'account', details),
})

/** One event is shown with its deliveries, as the caller's role may see it; null when there is none. Throws `NotAllowed`. */
export async function getEvent(caller: Caller, id: string): Promise<EventDetailsView | null> {
  requirePermission(caller, 'see-everything')
  if (!isUuid(id)) return null
  const { rows } = await pool().query<{ subject_id: string; entity_uuid: string | null }>(
    'SELECT subject_id, entity_uuid FROM event WHERE id = $1',
    [id],
  )
  const [found] = rows
  if (!found) return null
  await countReading(caller, 'read.event', id, found.entity_uuid)
  return (await readDetails(caller.role, found.subject_id, { eventId: id }))[0] ?? null
}

/**
 * All events of a subject, the last of them, or one are returned in order, as this role may see them. The
 * caller has checked access.
 */
export async function readDetails(
  role: StaffRole,
  subjectId: string,
  {
    eventId = null,
    newest = null,
  }: { readonly eventId?: string | null; readonly newest?: number | null } = {},
): Promise<EventDetailsView[]> {
  const [events, deliveries] = await Promise.all([
    pool().query<DetailsRow>(
      `WITH kept AS MATERIALIZED (
         SELECT ${eventColumns}, position, rank, envelope, body_left_at FROM event
         WHERE subject_id = $1 AND ($2::uuid IS NULL OR id = $2) ORDER BY position DESC LIMIT $3
       ) SELECT ${eventColumns}, position, rank, body_left_at, ${bodyOf('kept')} AS body FROM kept ORDER BY position DESC`,
      [subjectId, eventId, newest],
    ),
    pool().query<DeliveryRow>(DELIVERIES, [subjectId, eventId]),
  ])
  const emails = await emailsOf(events.rows.map((row) => row.entity_uuid))
  const received = Map.groupBy(deliveries.rows, (row) => row.event_id)
  return events.rows.toReversed().map((row) => ({
    ...toEventView(role, row, emails),
    ...showRecord(role, 'event', { position: row.position, rank: row.rank }),
    body: row.body && showBody(role, row.body.toString('utf8')),
    wholeBody: bodyLeftOf(row) === null ? bodyVisibility(role, row.type) : 'hidden',
    bodyLeft: bodyLeftOf(row),
    received: (received.get(row.id) ?? []).map((delivery) => toDeliveryView(role, delivery)),
  }))
}

interface DetailsRow extends ListedEventRow, Pick<EventRow, 'position' | 'rank'> {
  readonly body: Buffer | null
  readonly body_left_at: Date | null
}

function bodyLeftOf({ body, body_left_at }: DetailsRow): EventDetailsView['bodyLeft'] {
  if (body === null) return 'lost'
  if (body_left_at === null) return null
  return body.length === 0 ? 'lost' : 'shortened'
}

interface DeliveryRow
  extends Pick<EventDeliveryRow, 'delivery_id' | 'event_id' | 'received_at' | 'answer' | 'reason'> {
  readonly endpoint_uuid: string | null
  readonly endpoint_name: string | null
}

const toDeliveryView = (role: StaffRole, row: DeliveryRow): DeliveryView =>
  showRecord(role, 'delivery', {
    id: row.delivery_id,
    receivedAt: row.received_at.toISOString(),
    endpointUuid: row.endpoint_uuid,
    endpointName: row.endpoint_name,
    answer: row.answer,
    reason: row.reason,
  })

const DELIVERIES = `
  WITH carried AS MATERIALIZED (
    SELECT delivery_id, event_id, received_at, receiver_id, answer, reason, seq FROM event_delivery
    WHERE subject_id = $1 AND ($2::uuid IS NULL OR event_id = $2)
  )
  SELECT delivery_id, event_id, received_at, endpoint_uuid, watched.name AS endpoint_name, answer, reason
  FROM carried LEFT JOIN receiver ON receiver.id = receiver_id
  LEFT JOIN watched_endpoint AS watched USING (endpoint_uuid)
  ORDER BY seq`

/** The events of a customer's own bank account give these details; null when none of them gave one. §6.3 */
export interface AccountDetails {
  readonly currency: string | null
  readonly iban: string | null
  readonly accountNumber: string | null
  readonly sortCode: string | null
  readonly bic: string | null
  readonly swiftCode: string | null
  readonly bankCode: string | null
  readonly bankName: string | null
  readonly bankCountry: string | null
}

/**
 * `bodies` are those of the events, in the order of the timeline; null for one that is not kept any more. The
 * latest value counts.
 */
export function toAccountDetails(bodies: readonly (Buffer | null)[]): AccountDetails {
  const given = bodies.map((body) => {
    const parsed = body && parseEnvelope(body)
    return parsed?.kind === 'envelope' ? parsed.envelope.data : null
  })
  const latest = (name: string) =>
    given.map((data) => writtenField(data, name)).findLast((text) => text !== null) ?? null
  return {
    currency: latest('currency'),
    iban: latest('iban'),
    accountNumber: latest('account_number'),
    sortCode: latest('sort_code'),
    bic: latest('bic'),
    swiftCode: latest('swift_code'),
    bankCode: latest('bank_code'),
    bankName: latest('bank_name'),
    bankCountry: latest('bank_country'),
  }
}

/** The account is returned with its owner; null when no event is about one. The caller has checked access. */
export async function readAccount(
  uuid: string,
): Promise<{ readonly details: AccountDetails; readonly userUuid: string | null } | null> {
  const { rows } = await pool().query<{ entity_uuid: string | null; body: Buffer | null }>(EVENTS, [
    subjectId({ kind: 'bank-account', id: uuid }),
  ])
  if (rows.length === 0) return null
  return {
    details: toAccountDetails(rows.map(({ body }) => body)),
    userUuid: rows.findLast((row) => row.entity_uuid !== null)?.entity_uuid ?? null,
  }
}

/** The query reads the last events of the account, in order. */
const EVENTS = `
  WITH kept AS MATERIALIZED (
    SELECT entity_uuid, position, id, envelope FROM event
    WHERE subject_id = $1 AND type = 'unblockBankAccount' ORDER BY position DESC LIMIT 50
  ) SELECT entity_uuid, ${bodyOf('kept')} AS body FROM kept ORDER BY position`
