import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { accountTypes, type EventType } from '#lib/deliveries/rules/event-types.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { emailsOf } from '#lib/identity/users/directory.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { poolByIndex } from '#lib/platform/db/read-pools.ts'
import { countUpTo, pageOf, pageSize, type Total } from '#lib/platform/paging/paging.ts'
import type { FoundSubject } from '#lib/search/found.ts'
import { readSubjects } from '#lib/search/read-subjects.ts'
import { getSubject, type SubjectDetailsView } from '#lib/timeline/subject-details.ts'
import type { StandingRow } from '#lib/timeline/tables/standing.ts'
import {
  cursorOf,
  matchingQuery,
  type StandingFilters,
  type StandingView,
  standingPageQuery,
  toStandingView,
  walkStandings,
  withDoubts,
} from './standings.ts'

interface AccountFilters {
  /** The type is one of the three that speak of accounts; all of them by default. */
  readonly type?: EventType | undefined
  readonly state?: string | undefined
  readonly currency?: string | undefined
  /** `needsAttention` lists only the accounts that the navigation counts: those that failed lately and are not snoozed. */
  readonly needsAttention?: boolean | undefined
  /** `cursor` is `next` of a page with the same filters. */
  readonly cursor?: string | undefined
  /** A page has 1 to 200 accounts, 50 by default. */
  readonly limit?: number | undefined
}

export interface AccountListPage {
  /** The accounts that moved last come first. */
  readonly rows: readonly StandingView[]
  readonly next: string | null
  readonly total: Total
}

/** The list has everybody's bank accounts and profiles. Throws `NotAllowed` and `CursorRefused`. */
export async function listAccounts(caller: Caller, given: AccountFilters = {}): Promise<AccountListPage> {
  requirePermission(caller, 'see-everything')
  const limit = pageSize(given.limit)
  const filters = standingFilters(given)
  const { sql, values } = standingPageQuery(filters, limit + 1)
  const [{ rows }, total] = await Promise.all([
    pool().query<StandingRow>(sql, values),
    countUpTo((most) => matchingQuery(filters, most)),
  ])
  const { listed, next } = pageOf(rows, limit, cursorOf)
  const emails = await emailsOf(listed.map((row) => row.entity_uuid))
  const views = listed.map((row) => toStandingView(caller.role, row, emails))
  return { rows: await withDoubts(views), next, total }
}

/** The count has all that match. Throws `NotAllowed`. */
export function countAccounts(caller: Caller, given: AccountFilters): Promise<Total> {
  requirePermission(caller, 'see-everything')
  return countUpTo((most) => matchingQuery(standingFilters(given), most))
}

/** All that match come in portions, in the order of their ids. Throws `NotAllowed`. */
export async function* everyAccount(
  caller: Caller,
  given: AccountFilters,
): AsyncGenerator<readonly StandingView[]> {
  requirePermission(caller, 'see-everything')
  for await (const rows of walkStandings(standingFilters(given)))
    yield await withDoubts(
      rows.map((row) => toStandingView(caller.role, row)),
      poolByIndex(),
    )
}

const standingFilters = ({
  type,
  state,
  currency,
  needsAttention,
  cursor,
}: AccountFilters): StandingFilters => ({
  state,
  currency,
  cursor,
  types: accountTypes.filter((one) => type === undefined || one === type),
  attentionKinds: needsAttention ? ['failed-account'] : undefined,
})

/** An account comes with its timeline and with the transactions that named it. */
export interface AccountDetailsView extends SubjectDetailsView {
  /** The newest transactions come first, at most 20. */
  readonly transactions: readonly FoundSubject[]
  readonly total: Total
}

/** One bank account or profile comes as the caller's role may see it; null when there is none. Throws `NotAllowed`. */
export async function getAccount(caller: Caller, uuid: string): Promise<AccountDetailsView | null> {
  requirePermission(caller, 'see-everything')
  const id = uuid.trim().toLowerCase()
  const details = await getSubject(caller, subjectId({ kind: 'bank-account', id }))
  if (!details) return null
  const [{ rows }, total] = await Promise.all([
    pool().query<{ subject_id: string }>(TRANSACTIONS, [id, mostShown]),
    countUpTo((most) => ({ sql: TRANSACTIONS, values: [id, most] })),
  ])
  const ids = rows.map((row) => row.subject_id)
  const found = await readSubjects(caller.role, ids)
  return { ...details, transactions: ids.flatMap((one) => found.get(one) ?? []), total }
}

const mostShown = 20

const TRANSACTIONS = `
  SELECT subject_id FROM identifier WHERE value = $1 AND starts_with(subject_id, 'transaction:')
  ORDER BY started_at DESC LIMIT $2`
