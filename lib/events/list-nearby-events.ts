import 'server-only'
import { firstUuidv7 } from '#lib/db/partitions.ts'
import { pool } from '#lib/db/pool.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { emailsOf } from '#lib/users/emails-of.ts'
import { amountsOf } from './amounts-of.ts'
import { type EventView, eventColumns, type ListedEventRow, toEventView } from './event-view.ts'

/** How long before and after counts as nearby, in ms. */
const reach = 24 * 3_600_000
const shown = 6

/** Several steps of one transaction are one row: so many events are read for `shown` subjects, and no more of somebody who has many. */
const read = 60

/** A time in a subject's life, ISO 8601; `until` is null while it goes on. */
export interface TimeRange {
  readonly from: string
  readonly until: string | null
}

/** What else a person has within a day of this time, newest first: of each subject and type the latest event. Throws `NotAllowed`. */
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
    read,
  ])
  const kindOf = ({ subject_id, type }: ListedEventRow) => `${subject_id} ${type}`
  const latest = [...new Map(rows.toReversed().map((row) => [kindOf(row), row])).values()]
  const listed = latest.toSorted((one, other) => (one.id < other.id ? 1 : -1)).slice(0, shown)
  const [emails, amounts] = await Promise.all([
    emailsOf(listed.map((row) => row.entity_uuid)),
    amountsOf(
      caller.role,
      listed.map((row) => row.subject_id),
    ),
  ])
  return listed.map((row) => ({
    ...toEventView(caller.role, row, emails),
    amount: amounts.get(row.subject_id) ?? null,
  }))
}

/** Ids are in order of time. */
const NEARBY = `SELECT ${eventColumns} FROM event
  WHERE entity_uuid = $1 AND subject_id <> $2 AND id >= $3 AND id < $4 ORDER BY id DESC LIMIT $5`
