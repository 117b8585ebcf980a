import 'server-only'
import { firstUuidv7 } from '#lib/db/partitions.ts'
import { pool } from '#lib/db/pool.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { emailsOf } from '#lib/users/emails-of.ts'
import { type EventView, eventColumns, type ListedEventRow, toEventView } from './event-view.ts'

/** How long before and after counts as nearby, in ms. */
const reach = 24 * 3_600_000
const shown = 6

/** A time in a subject's life, ISO 8601; `until` is null while it goes on. */
export interface TimeRange {
  readonly from: string
  readonly until: string | null
}

/** What else was received about a person within a day of this time, newest first. Throws `NotAllowed`. */
export async function listNearbyEvents(
  caller: Caller,
  userUuid: string,
  subjectId: string,
  { from, until }: TimeRange,
): Promise<EventView[]> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<ListedEventRow>(NEARBY, [
    userUuid,
    subjectId,
    firstUuidv7(Date.parse(from) - reach),
    firstUuidv7((until === null ? Date.now() : Date.parse(until)) + reach),
    shown,
  ])
  const emails = await emailsOf(rows.map((row) => row.entity_uuid))
  return rows.map((row) => toEventView(caller.role, row, emails))
}

/** Ids are in order of time. */
const NEARBY = `SELECT ${eventColumns} FROM event
  WHERE entity_uuid = $1 AND subject_id <> $2 AND id >= $3 AND id < $4 ORDER BY id DESC LIMIT $5`
