import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { companyTypes } from '#lib/deliveries/rules/event-types.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { poolByIndex, type Queryable } from '#lib/platform/db/read-pools.ts'
import { countUpTo, pageOf, pageSize, type Total } from '#lib/platform/paging/paging.ts'
import { isLowerCaseUuid } from '#lib/platform/rules/ids.ts'
import type { StandingRow } from '#lib/timeline/tables/standing.ts'
import { isLast, isLastNeedingAttention } from './standing-attention.ts'
import {
  cursorOf,
  matchingQuery,
  type StandingFilters,
  type StandingView,
  standingColumns,
  standingPageQuery,
  toStandingView,
  walkStandings,
  withDoubts,
} from './standings.ts'

export interface CompanyFilters {
  /** The state is that of the verification, or of the entity. */
  readonly state?: string | undefined
  /** `needsAttention` lists only the companies that the navigation counts: those that failed lately and are not snoozed. */
  readonly needsAttention?: boolean | undefined
  /** `cursor` is `next` of a page with the same filters. */
  readonly cursor?: string | undefined
  /** A page has 1 to 200 companies, 50 by default. */
  readonly limit?: number | undefined
}

/** `CompanyView` is a company as far as events speak of it. Times are ISO 8601 and times of receipt. */
export interface CompanyView {
  readonly subjectId: string
  /** The id is the uuid of the company. */
  readonly id: string
  readonly verification: StandingView | null
  readonly entity: StandingView | null
  /** This many people of the directory belong to it. */
  readonly people: number
  readonly startedAt: string
  readonly lastMoveAt: string
}

export interface CompanyPage {
  /** The companies that moved last come first. */
  readonly rows: readonly CompanyView[]
  readonly next: string | null
  readonly total: Total
}

/** The list has every company that events spoke of. Throws `NotAllowed` and `CursorRefused`. */
export async function listCompanies(caller: Caller, given: CompanyFilters = {}): Promise<CompanyPage> {
  requirePermission(caller, 'see-everything')
  const limit = pageSize(given.limit)
  const { filters, which } = standingFilters(given)
  const { sql, values } = standingPageQuery(filters, limit + 1, which)
  const [{ rows }, total] = await Promise.all([
    pool().query<StandingRow>(sql, values),
    countUpTo((most) => matchingQuery(filters, most, which)),
  ])
  const { listed, next } = pageOf(rows, limit, cursorOf)
  return { rows: await toCompanies(caller, listed), next, total }
}

/** The count has all that match. Throws `NotAllowed`. */
export function countCompanies(caller: Caller, given: CompanyFilters): Promise<Total> {
  requirePermission(caller, 'see-everything')
  const { filters, which } = standingFilters(given)
  return countUpTo((most) => matchingQuery(filters, most, which))
}

/** All that match come in portions, in the order of their ids. Throws `NotAllowed`. */
export async function* everyCompany(
  caller: Caller,
  given: CompanyFilters,
): AsyncGenerator<readonly CompanyView[]> {
  requirePermission(caller, 'see-everything')
  const { filters, which } = standingFilters(given)
  for await (const rows of walkStandings(filters, which)) yield await toCompanies(caller, rows, poolByIndex())
}

function standingFilters({ state, needsAttention, cursor }: CompanyFilters) {
  const attentionKinds = needsAttention ? (['failed-company'] as const) : undefined
  const filters: StandingFilters = { state, cursor, types: companyTypes, attentionKinds }
  const alike = state === undefined ? '' : 'AND other.state = standing.state'
  return { filters, which: attentionKinds ? isLastNeedingAttention(attentionKinds, alike) : latestOf(alike) }
}

/** The list has each company once, by the type that moved last. */
const latestOf = (alike: string) => isLast(`other.type = ANY($1) ${alike}`)

async function toCompanies(
  caller: Caller,
  listed: readonly StandingRow[],
  database: Queryable = pool(),
): Promise<CompanyView[]> {
  if (listed.length === 0) return []
  const views = listed.map((row) => toStandingView(caller.role, row))
  const [{ rows }, counts] = await Promise.all([
    database.query<StandingRow>(OF_SUBJECTS, [views.map((view) => view.subjectId), companyTypes]),
    database.query<{ id: string; people: number }>(PEOPLE, [
      views.map(({ id }) => id).filter((id) => isLowerCaseUuid(id)),
    ]),
  ])
  const standings = await withDoubts(
    rows.map((row) => toStandingView(caller.role, row)),
    database,
  )
  const bySubject = Map.groupBy(standings, (view) => view.subjectId)
  const people = new Map(counts.rows.map((row) => [row.id, row.people]))
  return views.map(({ subjectId, id, startedAt, lastMoveAt }) => {
    const own = bySubject.get(subjectId) ?? []
    return {
      subjectId,
      id,
      verification: own.find(({ type }) => type === 'KYB') ?? null,
      entity: own.find(({ type }) => type === 'entityStatusUpdate') ?? null,
      people: people.get(id) ?? 0,
      startedAt: own.map((one) => one.startedAt).reduce((a, b) => (a < b ? a : b), startedAt),
      lastMoveAt,
    }
  })
}

const OF_SUBJECTS = `SELECT ${standingColumns} FROM standing WHERE subject_id = ANY($1) AND type = ANY($2)`

const PEOPLE = `
  SELECT company::text AS id, count(*)::int AS people
  FROM person JOIN unnest($1::uuid[]) AS company ON linked_corporates @> ARRAY[company] GROUP BY company`
