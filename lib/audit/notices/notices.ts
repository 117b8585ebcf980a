import 'server-only'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import type { NoticeKind } from '#lib/access/rules/notice-kinds.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { uuidField } from '#lib/platform/forms/fields.ts'
import { pageOf, pageSize } from '#lib/platform/paging/paging.ts'
import { noticeSentence } from '../labels/notice-labels.ts'

export interface NewNotice {
  readonly kind: NoticeKind
  /** Null when nobody is known. */
  readonly actor: {
    readonly id: string
    readonly name?: string | null
    readonly email?: string | null
  } | null
  /** The id of what it is about. */
  readonly about?: string
  /** Why, in the actor's words. */
  readonly reason?: string
  /** What the sentence of its kind names; no secret. */
  readonly facts?: Readonly<Record<string, string>>
  /** For what happens often: told once in a day of UTC of an actor, a kind and what it is about. */
  readonly onceADay?: boolean
}

/** Tells every admin, in the transaction that does what is told: both are kept, or neither. */
export async function tellAdmins(
  tx: Transaction,
  { kind, actor, about, reason, facts, onceADay = false }: NewNotice,
): Promise<void> {
  if (onceADay && (await tx.query(TOLD_TODAY, [kind, actor?.id, about])).rowCount) return
  const name = actor && (actor.name ?? actor.email ?? actor.id)
  await tx.query(INSERT, [uuidv7(), kind, actor?.id, name, about, reason, { ...facts }])
  await tx.query(`SELECT pg_notify($1, '')`, [noticeChannel])
}

/** Who has acted where the provider of single sign-on decides. */
export const singleSignOn = { id: 'single sign-on', name: 'Single sign-on' }

/** Where a notice is announced, with its commit. */
export const noticeChannel = 'admin_notice'

const TOLD_TODAY = `
  SELECT FROM admin_notice
  WHERE kind = $1 AND actor IS NOT DISTINCT FROM $2 AND about IS NOT DISTINCT FROM $3
    AND at >= date_trunc('day', now(), 'UTC') LIMIT 1`

const INSERT = `
  INSERT INTO admin_notice (id, kind, actor, actor_name, about, reason, facts)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`

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

export const MarkNoticesSeenSchema = z.object({
  /** This notice and all older ones. */
  newest: uuidField('This is not the id of a notice.'),
})

/** This admin has seen a notice and all older ones; it stays for the others. Throws `NotAllowed`. */
export async function markNoticesSeen(
  caller: Caller,
  { newest }: z.output<typeof MarkNoticesSeenSchema>,
): Promise<{ readonly marked: number }> {
  requirePermission(caller, 'read-notices')
  const { rowCount } = await pool().query(MARK, [caller.id, newest])
  return { marked: rowCount ?? 0 }
}

const MARK = `
  UPDATE admin_notice SET seen_by = array_append(seen_by, $1)
  WHERE id <= $2::uuid AND NOT $1 = ANY(seen_by)`
