import 'server-only'
import { notMutedAs } from '#lib/people/standings/standing-looks.ts'
import { planOnce } from '#lib/platform/db/plan-once.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { exactUpTo } from '#lib/platform/paging/paging.ts'
import type { LookKind } from '../rules/look-kinds.ts'

/** Things of one kind, the oldest first: at most one more than is counted, each with the time that it is listed by. */
export interface ListedLook {
  readonly about: string
  readonly since: Date
}

/**
 * Reads what is listed by a query of `about` and `since`, the oldest first, without what was muted since.
 * @param sql with `LIMIT ${most}` of its own; its best plan does not depend on the values
 */
export async function listLooks(sql: string, values: readonly unknown[] = []): Promise<ListedLook[]> {
  const { rows } = await pool().query<ListedLook>({ ...planOnce(sql), values: [...values] })
  return rows
}

/** How many `listLooks` would list. */
export async function countLooks(sql: string, values: readonly unknown[] = []): Promise<number> {
  const { rows } = await pool().query<{ listed: number }>({
    ...planOnce(`SELECT count(*)::int AS listed FROM (${sql}) AS looks`),
    values: [...values],
  })
  return rows[0]?.listed ?? 0
}

/** One more than is counted. */
export const most = exactUpTo + 1

/**
 * Whether something has not been muted: a mute covers no more than what had happened until then. The kind is a constant, since
 * how many mutes there are is known of each.
 */
export const notMuted = (about: string, since: string, kind: LookKind) =>
  notMutedAs(about, since, `'${kind}'`)
