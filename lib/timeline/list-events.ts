import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { countReading } from '#lib/audit/count-reading.ts'
import { directions } from '#lib/deliveries/rules/steps.ts'
import { emailsOf } from '#lib/identity/users/emails-of.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { poolByIndex } from '#lib/platform/db/pool-by-index.ts'
import { textParameter } from '#lib/platform/db/text-parameter.ts'
import { pageOf } from '#lib/platform/paging/page-of.ts'
import { pageSize } from '#lib/platform/paging/page-size.ts'
import { CursorRefused } from '#lib/platform/refusals.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/uuid.ts'
import { amountsOf } from './amounts-of.ts'
import {
  type EventFilters,
  type EventPage,
  eventColumns,
  type ListedEventRow,
  toEventView,
} from './event-view.ts'
import { risenEventsHaveIndex } from './risen-events-have-index.ts'

/** Events that one page goes through for those that match what no index holds. Decision 0076. */
const mostLooked = 10_000

/** Everybody's events as the caller's role may see them, newest first. Throws `NotAllowed` and `CursorRefused`. */
export async function listEvents(
  caller: Caller,
  filters: EventFilters = {},
  looked = mostLooked,
): Promise<EventPage> {
  requirePermission(caller, 'see-everything')
  const { userUuid, endpointUuid } = filters
  if (endpointUuid !== undefined) requirePermission(caller, 'see-endpoint-health')
  if (userUuid) await countReading(caller, 'read.list', userUuid, userUuid)
  const { rows, ...page } = await readPage(filters, await risenEventsHaveIndex(), looked)
  const [emails, amounts] = await Promise.all([
    emailsOf(rows.map((row) => row.entity_uuid)),
    amountsOf(
      caller.role,
      rows.map((row) => row.subject_id),
    ),
  ])
  return {
    ...page,
    rows: rows.map((row) => ({
      ...toEventView(caller.role, row, emails),
      amount: amounts.get(row.subject_id) ?? null,
    })),
  }
}

interface PlacedRow extends ListedEventRow {
  /** Where it stands in the list: where it came, or where it came again. */
  readonly place: string
}

type PlacedPage = Omit<EventPage, 'rows'> & { readonly rows: readonly PlacedRow[] }

async function readPage(filters: EventFilters, rises: boolean, looked: number): Promise<PlacedPage> {
  const limit = pageSize(filters.limit)
  const values: unknown[] = [limit + 1]
  const given = (value: string) => `$${values.push(textParameter(value))}`
  const before = filters.before === undefined ? null : given(parseCursor(filters.before))
  const held = heldConditions(filters, given)
  const sifted = siftConditions(filters, given, rises)
  const branches = branchesOf(filters, rises).map(({ place, of }): Branch => {
    const where = [...of, ...held, ...(before === null ? [] : [`${place} < ${before}`])]
    return { place, from: `${whereAll(where)} ORDER BY ${place} DESC` }
  })
  if (sifted.length > 0) return readSifted(siftedQuery(branches, sifted, rises, looked), values, limit)
  const pages = branches.map(({ place, from }) => `SELECT ${listed(place)} FROM event ${from} LIMIT $1`)
  const { rows } = await pool().query<PlacedRow>(`${newestOf(pages)} LIMIT $1`, values)
  const page = pageOf(rows, limit, placeOf)
  return { rows: page.listed, older: page.next, newest: rows[0]?.place ?? null }
}

const placeOf = ({ place }: PlacedRow) => place

type SiftedRow = (PlacedRow | { readonly place: null }) & {
  readonly edge: string | null
  readonly newest: string | null
}

async function readSifted(sql: string, values: unknown[], limit: number): Promise<PlacedPage> {
  const { rows } = await poolByIndex().query<SiftedRow>(sql, values)
  const found = rows.filter((row) => row.place !== null)
  const page = pageOf(found, limit, placeOf)
  return { rows: page.listed, older: page.next ?? rows[0]?.edge ?? null, newest: rows[0]?.newest ?? null }
}

/** Events in an order that an index holds: what came again stands at that place, once an index finds it there. */
interface Branch {
  readonly place: string
  /** What follows `FROM event`. */
  readonly from: string
}

function branchesOf({ flag }: EventFilters, rises: boolean) {
  if (!rises) return [{ place: 'id', of: [] }]
  const again = { place: 'came_again_id', of: ['came_again_id IS NOT NULL'] }
  return flag === 'came-again' ? [again] : [{ place: 'id', of: ['came_again_id IS NULL'] }, again]
}

type Given = (value: string) => string

/** What an index holds in the order of the list. */
const heldConditions = ({ userUuid, type }: EventFilters, given: Given): string[] => [
  ...(userUuid === undefined ? [] : [`entity_uuid = ${given(userUuid)}`]),
  ...(type === undefined ? [] : [`type = ${given(type)}`]),
]

/** What is looked for among the newest of those. */
const siftConditions = (
  { step, endpointUuid, flag }: EventFilters,
  given: Given,
  rises: boolean,
): string[] => [
  ...(step === undefined ? [] : [`type IN (${ofTransactions}) AND sub_type = ${given(step)}`]),
  ...(endpointUuid === undefined ? [] : [cameThrough(given(endpointUuid))]),
  ...(flag === undefined || flag === 'came-again' ? [] : [`${given(flag)} = ANY(flags)`]),
  ...(flag === 'came-again' && !rises ? ['came_again_id IS NOT NULL'] : []),
]

const ofTransactions = directions.map((direction) => `'${direction}'`).join(', ')

/** No index leads from an event to its deliveries: where it came more than once, all of its subject are gone through. */
const cameThrough = (endpoint: string) => {
  const receivers = `ARRAY(SELECT id FROM receiver WHERE endpoint_uuid = ${endpoint}::uuid)`
  const ofSubject = 'SELECT receiver_id FROM event_delivery d WHERE d.subject_id = event.subject_id'
  return `CASE WHEN deliveries = 1 THEN (${ofSubject} AND d.delivery_id = event.id) = ANY(${receivers})
    ELSE ARRAY(${ofSubject} AND d.event_id = event.id) && ${receivers} END`
}

/**
 * So many of each branch are gone through for those that match. What lies beyond the last of them is left to the next page, so
 * that none is passed over. Beside each row stand that edge and the newest event there is.
 */
function siftedQuery(
  branches: readonly Branch[],
  sifted: readonly string[],
  rises: boolean,
  looked: number,
): string {
  const pages = branches.map(
    ({ place, from }) => `SELECT * FROM (SELECT ${listed(place)} FROM event ${from} LIMIT ${looked}) AS event
      WHERE ${sifted.join(' AND ')} ORDER BY place DESC LIMIT $1`,
  )
  const edges = branches.map(
    ({ place, from }) => `SELECT ${place} AS place FROM event ${from} OFFSET ${looked - 1} LIMIT 1`,
  )
  const tops = branchesOf({}, rises).map(
    ({ place, of }) => `SELECT ${place} AS place FROM event ${whereAll(of)} ORDER BY ${place} DESC LIMIT 1`,
  )
  return `
    WITH matching AS MATERIALIZED (${newestOf(pages)} LIMIT $1),
    around AS MATERIALIZED (
      SELECT CASE WHEN (SELECT count(*) FROM matching) < $1 THEN (${newestOf(edges)} LIMIT 1) END AS edge,
        (${newestOf(tops)} LIMIT 1) AS newest
    )
    SELECT matching.*, around.* FROM around LEFT JOIN matching ON edge IS NULL OR place >= edge ORDER BY place DESC`
}

const listed = (place: string) => `${eventColumns}, ${place} AS place`

const whereAll = (conditions: readonly string[]) =>
  conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''

/** What these bring, each in the order of the list, as one list. */
const newestOf = (queries: readonly string[]) =>
  `SELECT * FROM (${queries.map((query) => `(${query})`).join(' UNION ALL ')}) AS branch ORDER BY place DESC`

function parseCursor(text: string): string {
  if (!isLowerCaseUuid(text)) throw new CursorRefused()
  return text
}
