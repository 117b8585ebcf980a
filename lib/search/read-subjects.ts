import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { may, type StaffRole } from '#lib/access/rules/roles.ts'
import { eventTypes } from '#lib/deliveries/rules/event-types.ts'
import { parseSubjectId } from '#lib/deliveries/rules/subject.ts'
import { type GapRow, SELECT_GAP, toGapViews } from '#lib/endpoints/gaps/gap-view.ts'
import { isCovered } from '#lib/endpoints/rules/gaps.ts'
import { emailsOf } from '#lib/identity/users/directory.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { planOnce } from '#lib/platform/db/statements.ts'
import { env } from '#lib/platform/env.ts'
import { eventColumns, type ListedEventRow, toEventView } from '#lib/timeline/event-view.ts'
import { decidingOf, type RankedKind } from '#lib/timeline/rules/status.ts'
import { transactionsOf } from '#lib/transactions/get-transaction.ts'
import { unionAll } from '#lib/transactions/row-condition.ts'
import type { Absence, FoundSubject, OtherSubject } from './found.ts'
import { searchQuery } from './search-query.ts'

/** The subjects are returned by id as they are now, as this role may see them; missing ones are left out. */
export async function readSubjects(
  role: StaffRole,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, FoundSubject>> {
  const isTransaction = (id: string) => parseSubjectId(id)?.kind === 'transaction'
  const [transactions, others] = await Promise.all([
    transactionsOf(role, subjectIds.filter(isTransaction)),
    readOthers(
      role,
      subjectIds.filter((id) => !isTransaction(id)),
    ),
  ])
  return new Map([...transactions, ...others].map((subject) => [subject.subjectId, subject]))
}

async function readOthers(role: StaffRole, ids: readonly string[]): Promise<OtherSubject[]> {
  if (ids.length === 0) return []
  const places = ids.map((_, i) => `$${i + 1}`)
  const known = await searchQuery<KindRow>(
    `SELECT subject, id, type, "subType", rank, "firstReceivedAt", started_at
     FROM (${unionAll(places.flatMap((place) => [lastKindsOf(place), startOf(place)]))}) AS known ORDER BY subject, position`,
    [...ids],
  )
  // A whole uuid is asked for as an id of every kind, so nearly always nothing is known of it.
  if (known.length === 0) return []
  const kinds = known.filter(({ started_at }) => started_at === null)
  const deciding = [...Map.groupBy(kinds, ({ subject }) => subject).values()].flatMap(
    (events) => decidingOf(events, (event) => event) ?? [],
  )
  const rows = await searchQuery<ListedEventRow>(LISTED, [
    deciding.map(({ subject }) => subject),
    deciding.map(({ id }) => id),
  ])
  const emails = await emailsOf(rows.map((row) => row.entity_uuid))
  const startedAt = new Map(
    known.flatMap(({ subject, started_at }) =>
      started_at ? [[subject, started_at.toISOString()] as const] : [],
    ),
  )
  return rows.map((row) => ({
    subjectId: row.subject_id,
    startedAt: startedAt.get(row.subject_id) ?? row.first_received_at.toISOString(),
    latest: toEventView(role, row, emails),
  }))
}

interface KindRow extends RankedKind {
  readonly subject: string
  readonly id: string
  readonly firstReceivedAt: Date
  /** The time is that of the subject's first event, in a row of its own; null in rows of the last events. */
  readonly started_at: Date | null
}

/** The events are in the order of the timeline; only the last of each subject is read, which may have any number. */
const lastKindsOf = (subject: string) => `(
  SELECT subject_id AS subject, id, type, sub_type AS "subType", rank, position, first_received_at AS "firstReceivedAt",
         NULL::timestamptz AS started_at FROM event
  WHERE subject_id = ${subject} ORDER BY id DESC LIMIT 100)`

const LISTED = `
  SELECT ${eventColumns} FROM unnest($1::text[], $2::uuid[]) AS asked (subject, event_id)
  JOIN event ON event.subject_id = asked.subject AND event.id = asked.event_id`

const startOf = (subject: string) => `(
  SELECT subject_id, id, type, sub_type, rank, position, first_received_at, first_received_at FROM event
  WHERE subject_id = ${subject} ORDER BY id LIMIT 1)`

/** The installation may know why data is missing; null for roles that do not see endpoints. */
export async function readAbsence({ role }: Caller): Promise<Absence | null> {
  if (!may(role, 'see-endpoint-health')) return null
  const [periods, gaps, openGaps] = await Promise.all([
    pool().query<Periods>(PERIODS),
    pool().query<GapRow>(LATEST_GAPS),
    pool().query<{ count: number }>(OPEN_GAPS),
  ])
  const { since = null, began = false, oldest = null, listening = null } = periods.rows[0] ?? {}
  const { serviceBaseUrl, sandboxUrl } = env()
  return {
    service: serviceBaseUrl.host,
    sandbox: sandboxUrl !== null && sandboxUrl !== undefined,
    since: since ? { at: since.toISOString() } : began ? 'unknown' : null,
    oldest: oldest && (!since || oldest < since) ? oldest.toISOString() : null,
    missingTypes:
      listening === null
        ? null
        : eventTypes.filter((type) => !listening.includes('*') && !listening.includes(type)),
    gaps: (await toGapViews(gaps.rows)).map((gap) => ({
      id: gap.id,
      beganAt: gap.beganAt,
      endedAt: gap.endedAt,
      covered: isCovered(gap),
    })),
    openGaps: openGaps.rows[0]?.count ?? 0,
  }
}

interface Periods {
  /** Null also when the time is unknown. */
  readonly since: Date | null
  readonly began: boolean
  readonly oldest: Date | null
  readonly listening: string[] | null
}

/**
 * A period without an end is an endpoint that delivers now; one that began at -infinity existed before anybody
 * checked. Ids of events are in the order of receipt, also those of imported events.
 */
const PERIODS = planOnce(`
  SELECT (SELECT NULLIF(min(began_at), '-infinity') FROM receiver_period) AS since,
    EXISTS (SELECT 1 FROM receiver_period) AS began,
    (SELECT first_received_at FROM event ORDER BY id LIMIT 1) AS oldest,
    (SELECT array_agg(DISTINCT type) FROM receiver_period, unnest(events) AS type WHERE ended_at IS NULL) AS listening`)

const LATEST_GAPS = planOnce(
  `${SELECT_GAP} WHERE outcome IS NULL ORDER BY began_at DESC, gap.id DESC LIMIT 2`,
)

const OPEN_GAPS = 'SELECT count(*)::int AS count FROM gap WHERE outcome IS NULL'
