import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { pageOf } from '#lib/platform/paging/page-of.ts'
import { pageSize } from '#lib/platform/paging/page-size.ts'
import { noticeSentence } from '../labels/notice-labels.ts'

/** A notice as admins read it. `at` is ISO 8601. */
export interface NoticeView {
  readonly id: string
  readonly at: string
  readonly kind: string
  readonly sentence: string
  readonly about: string | null
  readonly reason: string | null
  /** Whether this admin has marked it as seen. */
  readonly seen: boolean
}

/** Notices, newest first, and after which one older ones follow. Throws `NotAllowed`. */
export async function listNotices(
  caller: Caller,
  { before = null, unseen = false, limit }: { before?: string | null; unseen?: boolean; limit?: number } = {},
): Promise<{ readonly notices: readonly NoticeView[]; readonly next: string | null }> {
  requirePermission(caller, 'read-notices')
  const size = pageSize(limit)
  const { rows } = await pool().query(LIST, [caller.id, before, unseen, size + 1])
  const { listed, next } = pageOf(rows.map(toNoticeView), size, ({ id }) => id)
  return { notices: listed, next }
}

/** How many this admin has not seen, up to 100. Throws `NotAllowed`. */
export async function countUnseenNotices(caller: Caller): Promise<number> {
  requirePermission(caller, 'read-notices')
  const { rows } = await pool().query<{ count: number }>(COUNT, [caller.id])
  return rows[0]?.count ?? 0
}

const RowSchema = z
  .object({
    id: z.string(),
    at: z.date(),
    kind: z.string(),
    actor_name: z.string().nullable(),
    about: z.string().nullable(),
    reason: z.string().nullable(),
    facts: z.record(z.string(), z.string()),
    seen: z.boolean(),
  })
  .transform(
    ({ at, actor_name, facts, ...row }): NoticeView => ({
      ...row,
      at: at.toISOString(),
      sentence: noticeSentence(row.kind, actor_name, facts),
    }),
  )

const toNoticeView = (row: unknown): NoticeView => RowSchema.parse(row)

const LIST = `
  SELECT id, at, kind, actor_name, about, reason, facts, $1 = ANY(seen_by) AS seen FROM admin_notice
  WHERE ($2::uuid IS NULL OR id < $2::uuid) AND NOT ($3::boolean AND $1 = ANY(seen_by))
  ORDER BY id DESC LIMIT $4`

const COUNT = `
  SELECT count(*)::int AS count
  FROM (SELECT FROM admin_notice WHERE NOT $1 = ANY(seen_by) LIMIT 100) unseen`
