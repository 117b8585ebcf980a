import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { countReading } from '#lib/audit/counted-entries.ts'
import { directions } from '#lib/deliveries/rules/steps.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { emailsOf } from '#lib/identity/users/directory.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { poolByIndex } from '#lib/platform/db/read-pools.ts'
import { textParameter } from '#lib/platform/db/statements.ts'
import { uuidField } from '#lib/platform/forms/fields.ts'
import { pageOf, pageSize } from '#lib/platform/paging/paging.ts'
import { CursorRefused } from '#lib/platform/refusals.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import {
  amountsOf,
  type EventFilters,
  type EventPage,
  type EventView,
  eventColumns,
  type ListedEventRow,
  toEventView,
} from './event-view.ts'
import { eventFilterFlags } from './rules/subject-event.ts'

/** One page scans this many events for filters without an index. Decision 0143. */
const maxScanned = 10_000

/**
 * Everybody's events are listed as the caller's role may see them, newest first. Throws `NotAllowed` and `CursorRefused`.
 */
export async function listEvents(
  caller: Caller,
  filters: EventFilters = {},
  scanned = maxScanned,
): Promise<EventPage> {
  requirePermission(caller, 'see-everything')
  const { userUuid, endpointUuid } = filters
  if (endpointUuid !== undefined) requirePermission(caller, 'see-endpoint-health')
  if (userUuid) await countReading(caller, 'read.list', userUuid, userUuid)
  const { rows, ...page } = await readPage(filters, scanned)
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
  /** `place` is the event's place in the list: where it came, or where it came again. */
  readonly place: string
}

type PlacedPage = Omit<EventPage, 'rows'> & { readonly rows: readonly PlacedRow[] }

async function readPage(filters: EventFilters, scanned: number): Promise<PlacedPage> {
  const limit = pageSize(filters.limit)
  const values: unknown[] = [limit + 1]
  const given = (value: string) => `$${values.push(textParameter(value))}`
  const before = filters.before === undefined ? null : given(parseCursor(filters.before))
  const held = heldConditions(filters, given)
  const sifts = siftsOf(filters, given)
  const branches = branchesOf(filters).map(({ place, of }): Branch => {
    const where = [...of, ...held, ...(before === null ? [] : [`${place} < ${before}`])]
    return { place, from: `${whereAll(where)} ORDER BY ${place} DESC` }
  })
  if (sifts.length > 0) return readScanned(scannedQuery(branches, sifts, scanned), values, limit)
  const pages = branches.map(({ place, from }) => `SELECT ${listed(place)} FROM event ${from} LIMIT $1`)
  const { rows } = await pool().query<PlacedRow>(`${newestOf(pages)} LIMIT $1`, values)
  const page = pageOf(rows, limit, placeOf)
  return { rows: page.listed, older: page.next, newest: rows[0]?.place ?? null }
}

const placeOf = ({ place }: PlacedRow) => place

type ScannedEventRow = (PlacedRow | { readonly place: null }) & {
  readonly edge: string | null
  readonly newest: string | null
}

async function readScanned(sql: string, values: unknown[], limit: number): Promise<PlacedPage> {
  const { rows } = await poolByIndex().query<ScannedEventRow>(sql, values)
  const found = rows.filter((row) => row.place !== null)
  const page = pageOf(found, limit, placeOf)
  return { rows: page.listed, older: page.next ?? rows[0]?.edge ?? null, newest: rows[0]?.newest ?? null }
}

/** A branch lists events in the order of an index. A repeated event is listed where it came again. */
interface Branch {
  readonly place: string
  /** The text follows `FROM event`. */
  readonly from: string
}

function branchesOf({ flag }: EventFilters) {
  const again = { place: 'came_again_id', of: ['came_again_id IS NOT NULL'] }
  return flag === 'came-again' ? [again] : [{ place: 'id', of: ['came_again_id IS NULL'] }, again]
}

type Given = (value: string) => string

/** An index holds these conditions in the order of the list. */
const heldConditions = ({ userUuid, type }: EventFilters, given: Given): string[] => [
  ...(userUuid === undefined ? [] : [`entity_uuid = ${given(userUuid)}`]),
  ...(type === undefined ? [] : [`type = ${given(type)}`]),
]

/** The newest events are scanned for these conditions, and for rows that are joined with them. */
interface Sift {
  readonly joined: string
  readonly conditions: readonly string[]
}

/** Each sift finds other events. There is none when an index holds all conditions. */
function siftsOf({ step, endpointUuid, flag }: EventFilters, given: Given): Sift[] {
  const conditions = [
    ...(step === undefined ? [] : [`type IN (${ofTransactions}) AND sub_type = ${given(step)}`]),
    ...(flag === undefined || flag === 'came-again' ? [] : [`${given(flag)} = ANY(flags)`]),
  ]
  if (endpointUuid !== undefined) return cameThrough(given(endpointUuid), conditions)
  return conditions.length > 0 ? [{ joined: '', conditions }] : []
}

const ofTransactions = directions.map((direction) => `'${direction}'`).join(', ')

/**
 * No index leads from an event to its deliveries: for an event with several, all deliveries of its subject are read.
 * A cluster joins events with their deliveries, and refuses a subquery for each event (decision 0143).
 */
function cameThrough(endpoint: string, conditions: readonly string[]): Sift[] {
  const through = `d.receiver_id = ANY(ARRAY(SELECT id FROM receiver WHERE endpoint_uuid = ${endpoint}::uuid))`
  const joined = (delivery: string) =>
    `JOIN event_delivery AS d ON d.subject_id = event.subject_id AND ${delivery} = event.id`
  return [
    { joined: joined('d.delivery_id'), conditions: [...conditions, 'event.deliveries = 1', through] },
    { joined: joined('d.event_id'), conditions: [...conditions, 'event.deliveries > 1', through] },
  ]
}

/**
 * This many events of each branch are scanned. Events after the last of them are left to the next page, so that
 * none is missed. Each row also holds that edge and the newest event.
 */
function scannedQuery(branches: readonly Branch[], sifts: readonly Sift[], scanned: number): string {
  // Several sifts share the events that are scanned.
  const windows = branches.map(
    ({ place, from }) => `(SELECT ${listed(place)} FROM event ${from} LIMIT ${scanned})`,
  )
  const shared = sifts.length > 1
  const pages = windows.flatMap((window, n) =>
    sifts.map(
      ({ joined, conditions }) => `
      SELECT ${joined === '' ? '' : 'DISTINCT ON (place)'} event.* FROM ${shared ? `scanned_${n}` : window} AS event ${joined}
      WHERE ${conditions.join(' AND ')} ORDER BY place DESC LIMIT $1`,
    ),
  )
  const edges = branches.map(
    ({ place, from }) => `SELECT ${place} AS place FROM event ${from} OFFSET ${scanned - 1} LIMIT 1`,
  )
  const tops = branchesOf({}).map(
    ({ place, of }) => `SELECT ${place} AS place FROM event ${whereAll(of)} ORDER BY ${place} DESC LIMIT 1`,
  )
  return `
    WITH ${shared ? windows.map((window, n) => `scanned_${n} AS MATERIALIZED ${window}, `).join('') : ''}
    matching AS MATERIALIZED (${newestOf(pages)} LIMIT $1),
    around AS MATERIALIZED (
      SELECT CASE WHEN (SELECT count(*) FROM matching) < $1 THEN (${newestOf(edges)} LIMIT 1) END AS edge,
        (${newestOf(tops)} LIMIT 1) AS newest
    )
    SELECT matching.*, around.* FROM around LEFT JOIN matching ON edge IS NULL OR place >= edge ORDER BY place DESC`
}

const listed = (place: string) => `${eventColumns}, ${place} AS place`

const whereAll = (conditions: readonly string[]) =>
  conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''

/** The results of these queries, each in the order of the list, become one list. */
const newestOf = (queries: readonly string[]) =>
  `SELECT * FROM (${queries.map((query) => `(${query})`).join(' UNION ALL ')}) AS branch ORDER BY place DESC`

function parseCursor(text: string): string {
  if (!isLowerCaseUuid(text)) throw new CursorRefused()
  return text
}

/** An address contains the filters of the timeline in this form. */
export const eventFilterFields = {
  type: z.string().max(500).optional(),
  step: z.string().max(500).optional(),
  user: uuidField('This is not a uuid.').optional(),
  endpoint: uuidField('This is not a uuid.').optional(),
  flag: z.enum(eventFilterFlags).optional(),
}

export const toEventFilters = <Sent extends z.output<typeof AskedSchema>>({
  user,
  endpoint,
  ...sent
}: Sent) => ({
  ...sent,
  userUuid: user,
  endpointUuid: endpoint,
})

const AskedSchema = z.object(eventFilterFields)

/** The filters are read from an address; null when one of them cannot be read. */
export function readEventFilters(asked: Readonly<Record<string, string | null>>): EventFilters | null {
  const given = Object.fromEntries(Object.entries(asked).filter(([, text]) => text !== null))
  const read = AskedSchema.safeParse(given)
  return read.success ? toEventFilters(read.data) : null
}

/**
 * These events of a person or company have a doubt that may change the status of a type. They are in order.
 * Throws `NotAllowed`.
 */
export async function listUndecided(caller: Caller, userUuid: string): Promise<EventView[]> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<ListedEventRow>(UNDECIDED, [
    subjectId({ kind: 'entity', id: userUuid }),
  ])
  return rows.map((row) => toEventView(caller.role, row, new Map()))
}

const UNDECIDED = `
  SELECT ${eventColumns} FROM event WHERE subject_id = $1 AND 'decisive' = ANY(flags) ORDER BY position`

/** Events came through this endpoint, even if it is gone by now. */
export interface EventSource {
  /** The uuid is the service's. */
  readonly uuid: string
  /** The endpoint had this name when it was last seen; null when it never was. */
  readonly name: string | null
}

/** The newest source comes first. Throws `NotAllowed`. */
export async function listEventSources(caller: Caller): Promise<EventSource[]> {
  requirePermission(caller, 'see-endpoint-health')
  const { rows } = await pool().query<EventSource>(SOURCES)
  return rows
}

const SOURCES = `
  SELECT endpoint_uuid AS uuid, max(name) AS name
  FROM receiver LEFT JOIN watched_endpoint USING (endpoint_uuid) WHERE endpoint_uuid IS NOT NULL
  GROUP BY endpoint_uuid ORDER BY max(created_at) DESC LIMIT 100`
