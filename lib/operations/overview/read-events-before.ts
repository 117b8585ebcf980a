import 'server-only'
import type { Role } from '#lib/access/rules/roles.ts'
import type { EventType } from '#lib/deliveries/rules/event-types.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { type EventView, eventColumns, type ListedEventRow, toEventView } from '#lib/timeline/event-view.ts'
import { standsSince, type TransactionRow } from '#lib/timeline/tables/transaction.ts'

/** What may be why a transaction is held, when it was said of its person before. */
const telling: readonly EventType[] = [
  'KYC',
  'KYB',
  'AML',
  'entityStatusUpdate',
  'duplicateUser',
  'senderNameMismatch',
]

/** How many of a person's events are looked through for these, from the hold backwards, and how many are shown. */
const lookedThrough = 200
const shownOfEach = 2

/**
 * What was said of the person of each transaction before it came to where it stands, the latest first: perhaps why it is held, which no
 * event says. By `subject_id`.
 */
export async function readEventsBefore(
  role: Role,
  held: readonly TransactionRow[],
): Promise<ReadonlyMap<string, readonly EventView[]>> {
  if (held.length === 0) return new Map()
  const { rows } = await pool().query<ListedEventRow & { about: string }>(BEFORE, [
    held.map((row) => row.subject_id),
    held.map((row) => row.user_uuid),
    held.map(standsSince),
    telling,
  ])
  return new Map(
    [...Map.groupBy(rows, ({ about }) => about)].map(([about, events]) => [
      about,
      events.map((row) => toEventView(role, row, new Map())),
    ]),
  )
}

const BEFORE = `
  SELECT held.about, told.* FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS held (about, person, began_at),
  LATERAL (
    SELECT * FROM (
      SELECT ${eventColumns} FROM event WHERE entity_uuid = held.person ORDER BY id DESC LIMIT ${lookedThrough}
    ) AS latest
    WHERE type = ANY($4) AND first_received_at <= held.began_at ORDER BY id DESC LIMIT ${shownOfEach}
  ) AS told
  ORDER BY held.about, told.id DESC`
