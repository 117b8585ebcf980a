import 'server-only'
import { pool } from '#lib/db/pool.ts'
import type { LookKind } from '#lib/domain/overview/look-kinds.ts'
import { exactUpTo } from '#lib/paging/count-up-to.ts'

/** Things of one kind, the oldest first: at most one more than is counted, each with the time that it is listed by. */
export interface ListedLook {
  readonly about: string
  readonly since: Date
}

/**
 * Reads what is listed by a query of `about` and `since`, the oldest first, without what was muted since.
 * @param sql with `LIMIT ${most}` of its own; `$1` is the kind
 */
export async function listLooks(
  kind: LookKind,
  sql: string,
  values: readonly unknown[],
): Promise<ListedLook[]> {
  const { rows } = await pool().query<ListedLook>(sql, [kind, ...values])
  return rows
}

/** How many `listLooks` would list. */
export async function countLooks(kind: LookKind, sql: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await pool().query<{ listed: number }>(
    `SELECT count(*)::int AS listed FROM (${sql}) AS looks`,
    [kind, ...values],
  )
  return rows[0]?.listed ?? 0
}

/** One more than is counted. */
export const most = exactUpTo + 1

/**
 * Whether something has not been muted: a mute covers no more than what had happened until then.
 * @param kind in SQL
 */
export const notMuted = (about: string, since: string, kind = '$1') =>
  `NOT EXISTS (SELECT FROM overview_mute AS mute
     WHERE mute.kind = ${kind} AND mute.about = ${about} AND mute.covers_until >= ${since})`
