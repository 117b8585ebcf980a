import 'server-only'
import { pool } from '#lib/db/pool.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { isLowerCaseUuid } from '#lib/domain/text/uuid.ts'
import { pageOf } from '#lib/paging/page-of.ts'
import { pageSize } from '#lib/paging/page-size.ts'
import type { Caller } from '#lib/request/caller.ts'
import { CursorRefused } from '#lib/request/refusals.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { emailsOf } from '#lib/users/emails-of.ts'
import {
  type EventFilters,
  type EventPage,
  eventColumns,
  type ListedEventRow,
  toEventView,
} from './event-view.ts'

/** Everybody's events as the caller's role may see them, newest first. Throws `NotAllowed` and `CursorRefused`. */
export async function listEvents(caller: Caller, filters: EventFilters = {}): Promise<EventPage> {
  requirePermission(caller, 'see-everything')
  const { sql, values, limit, after } = eventsQuery(filters)
  const { rows } = await pool().query<ListedEventRow>(sql, values)
  const { listed, next } = pageOf(rows, limit, ({ id }) => id)
  if (after) listed.reverse()
  const emails = await emailsOf(listed.map((row) => row.entity_uuid))
  const more = next !== null || after !== null
  return {
    rows: listed.map((row) => toEventView(caller.role, row, emails)),
    older: more ? (listed.at(-1)?.id ?? null) : null,
    newer: listed[0]?.id ?? after,
  }
}

function eventsQuery(filters: EventFilters) {
  const limit = pageSize(filters.limit)
  const after = parseCursor(filters.after)
  const before = after ? null : parseCursor(filters.before)
  const values: unknown[] = [limit + 1]
  const where = [
    condition(values, 'entity_uuid =', filters.userUuid),
    condition(values, 'type =', filters.type),
    condition(values, 'id <', before),
    condition(values, 'id >', after),
  ].filter((text) => text !== null)
  const sql = `SELECT ${eventColumns} FROM event ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
    ORDER BY id ${after ? 'ASC' : 'DESC'} LIMIT $1`
  return { sql, values, limit, after }
}

function condition(values: unknown[], comparison: string, value: string | null | undefined): string | null {
  if (value === null || value === undefined) return null
  values.push(textParameter(value))
  return `${comparison} $${values.length}`
}

function parseCursor(text: string | undefined): string | null {
  if (text === undefined) return null
  if (!isLowerCaseUuid(text)) throw new CursorRefused()
  return text
}
