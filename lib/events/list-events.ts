import 'server-only'
import { countReading } from '#lib/audit/count-reading.ts'
import { pool } from '#lib/db/pool.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { isLowerCaseUuid } from '#lib/domain/text/uuid.ts'
import { pageOf } from '#lib/paging/page-of.ts'
import { pageSize } from '#lib/paging/page-size.ts'
import type { Caller } from '#lib/request/caller.ts'
import { CursorRefused } from '#lib/request/refusals.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { emailsOf } from '#lib/users/emails-of.ts'
import { amountsOf } from './amounts-of.ts'
import {
  type EventFilters,
  type EventPage,
  eventColumns,
  type ListedEventRow,
  toEventView,
} from './event-view.ts'
import { risenEventsHaveIndex } from './risen-events-have-index.ts'

/** Everybody's events as the caller's role may see them, newest first. Throws `NotAllowed` and `CursorRefused`. */
export async function listEvents(caller: Caller, filters: EventFilters = {}): Promise<EventPage> {
  requirePermission(caller, 'see-everything')
  const { userUuid } = filters
  if (userUuid) await countReading(caller, 'read.list', userUuid, userUuid)
  const { sql, values, limit, after } = eventsQuery(filters, await risenEventsHaveIndex())
  const { rows } = await pool().query<PlacedRow>(sql, values)
  const { listed, next } = pageOf(rows, limit, placeOf)
  if (after) listed.reverse()
  const [emails, amounts] = await Promise.all([
    emailsOf(listed.map((row) => row.entity_uuid)),
    amountsOf(
      caller.role,
      listed.map((row) => row.subject_id),
    ),
  ])
  const more = next !== null || after !== null
  return {
    rows: listed.map((row) => ({
      ...toEventView(caller.role, row, emails),
      amount: amounts.get(row.subject_id) ?? null,
    })),
    older: more ? placeIn(listed.at(-1)) : null,
    newer: placeIn(listed[0]) ?? after,
  }
}

interface PlacedRow extends ListedEventRow {
  /** Where it stands in the list: where it came, or where it came again. */
  readonly place: string
}

const placeOf = ({ place }: PlacedRow) => place
const placeIn = (row: PlacedRow | undefined) => row?.place ?? null

/** What came again stands at that place, once an index finds it there. */
function eventsQuery(filters: EventFilters, rises: boolean) {
  const limit = pageSize(filters.limit)
  const after = parseCursor(filters.after)
  const before = after ? null : parseCursor(filters.before)
  const values: unknown[] = [limit + 1]
  const about = [
    condition(values, 'entity_uuid =', filters.userUuid),
    condition(values, 'type =', filters.type),
  ]
  const [beforeIt, afterIt] = [condition(values, '<', before), condition(values, '>', after)]
  const order = after ? 'ASC' : 'DESC'
  const placedBy = (place: string, given: string | null) => {
    const bounds = [beforeIt, afterIt].map((bound) => bound && `${place} ${bound}`)
    const where = [given, ...about, ...bounds].filter((text) => text !== null)
    return `SELECT ${eventColumns}, ${place} AS place FROM event ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}
      ORDER BY ${place} ${order} LIMIT $1`
  }
  if (!rises) return { sql: placedBy('id', null), values, limit, after }
  const branches = [
    placedBy('id', 'came_again_id IS NULL'),
    placedBy('came_again_id', 'came_again_id IS NOT NULL'),
  ]
  const merged = branches.map((branch) => `(${branch})`).join(' UNION ALL ')
  const sql = `SELECT ${eventColumns}, place FROM (${merged}) AS branch ORDER BY place ${order} LIMIT $1`
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
