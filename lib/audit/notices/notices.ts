import 'server-only'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { type NoticeKind, noticeSentence, pageOfNotice } from '#lib/audit/labels/notice-labels.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { jsonParameter } from '#lib/platform/db/statements.ts'
import { uuidField } from '#lib/platform/forms/fields.ts'
import { pageOf, pageSize } from '#lib/platform/paging/paging.ts'

export interface NewNotice {
  readonly kind: NoticeKind
  /** `actor` is null when nobody is known. */
  readonly actor: {
    readonly id: string
    readonly name?: string | null
    readonly email?: string | null
  } | null
  /** `about` is the id of the thing that the notice is about. */
  readonly about?: string
  /** The actor wrote this reason. */
  readonly reason?: string
  /** The sentence of the notice names these facts; none is a secret. */
  readonly facts?: Readonly<Record<string, string>>
  /** A notice that could repeat often is sent once a day (UTC) for each actor, kind and target. */
  readonly onceADay?: boolean
}

/** Every admin is notified in the transaction that makes the change: both are kept, or neither. */
export async function tellAdmins(
  tx: Transaction,
  { kind, actor, about, reason, facts, onceADay = false }: NewNotice,
): Promise<void> {
  if (onceADay && (await tx.query(NOTIFIED_TODAY, [kind, actor?.id, about])).rowCount) return
  const name = actor && (actor.name ?? actor.email ?? actor.id)
  await tx.query(INSERT, [uuidv7(), kind, actor?.id, name, about, reason, jsonParameter({ ...facts })])
  await tx.query(`SELECT pg_notify($1, '')`, [noticeChannel])
}

/** Single sign-on is the actor when the provider decides. */
export const singleSignOn = { id: 'single sign-on', name: 'Single sign-on' }

/** A new notice is announced on this channel when it is committed. */
export const noticeChannel = 'admin_notice'

const NOTIFIED_TODAY = `
  SELECT FROM admin_notice
  WHERE kind = $1 AND actor IS NOT DISTINCT FROM $2 AND about IS NOT DISTINCT FROM $3
    AND at >= date_trunc('day', now(), 'UTC') LIMIT 1`

const INSERT = `
  INSERT INTO admin_notice (id, kind, actor, actor_name, about, reason, facts)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`

/** Admins read a notice in this form. `at` is ISO 8601. */
export interface NoticeView {
  readonly id: string
  readonly at: string
  readonly kind: string
  readonly sentence: string
  readonly about: string | null
  /** The page shows what the notice is about, or the list or the audit log that has it; null for an unknown kind. */
  readonly page: string | null
  readonly reason: string | null
  /** This admin has marked the notice as seen. */
  readonly seen: boolean
}

/**
 * The newest notices come first; `next` is the notice after which older ones follow. `unseen` has the ids of the newest that
 * this admin has not seen, at most `mostMarked`, also when they are on another page. Throws `NotAllowed`.
 */
export async function listNotices(
  caller: Caller,
  {
    before = null,
    unseen: onlyUnseen = false,
    limit,
  }: { before?: string | null; unseen?: boolean; limit?: number } = {},
): Promise<{
  readonly notices: readonly NoticeView[]
  readonly next: string | null
  readonly unseen: readonly string[]
}> {
  requirePermission(caller, 'read-notices')
  const size = pageSize(limit)
  // The list is read after it, so that no notice is marked that no page has shown.
  const unseen = await pool().query<{ id: string }>(UNSEEN, [caller.id, mostMarked])
  const { rows } = await pool().query<NoticeRow>(LIST, [caller.id, before, onlyUnseen, size + 1])
  const { listed, next } = pageOf(rows.map(toNoticeView), size, ({ id }) => id)
  return { notices: listed, next, unseen: unseen.rows.map(({ id }) => id) }
}

/** A form names so many notices. */
const mostMarked = 100

/** This counts the notices that this admin has not seen, up to 100. Throws `NotAllowed`. */
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
      page: pageOfNotice(row.kind, row.about),
    }),
  )

type NoticeRow = z.input<typeof RowSchema>

const toNoticeView = (row: NoticeRow): NoticeView => RowSchema.parse(row)

const LIST = `
  SELECT id, at, kind, actor_name, about, reason, facts, $1 = ANY(seen_by) AS seen FROM admin_notice
  WHERE ($2::uuid IS NULL OR id < $2::uuid) AND NOT ($3::boolean AND $1 = ANY(seen_by))
  ORDER BY id DESC LIMIT $4`

const UNSEEN = 'SELECT id FROM admin_notice WHERE NOT $1 = ANY(seen_by) ORDER BY id DESC LIMIT $2'

const COUNT = `
  SELECT count(*)::int AS count
  FROM (SELECT FROM admin_notice WHERE NOT $1 = ANY(seen_by) LIMIT 100) unseen`

export const MarkNoticesSeenSchema = z.object({
  /** The ids are those of `listNotices`, newest first, with spaces between them. */
  unseen: z
    .string()
    .transform((text) => text.split(' '))
    .pipe(z.array(uuidField('This is not the id of a notice.')).max(mostMarked))
    .readonly(),
})

/**
 * These notices are marked as seen by this admin; other admins still see them as new. A full list stands for all older ones
 * too. A notice that was committed after the list stays new, whatever its id: two transactions and two clocks may give ids in
 * another order. `unseen` counts those that are left. Throws `NotAllowed`.
 */
export async function markNoticesSeen(
  caller: Caller,
  { unseen }: z.output<typeof MarkNoticesSeenSchema>,
): Promise<{ readonly marked: number; readonly unseen: number }> {
  requirePermission(caller, 'read-notices')
  const oldest = unseen.length === mostMarked ? unseen.at(-1) : null
  const { rowCount } = await pool().query(MARK, [caller.id, unseen, oldest])
  return { marked: rowCount ?? 0, unseen: await countUnseenNotices(caller) }
}

const MARK = `
  UPDATE admin_notice SET seen_by = array_append(seen_by, $1)
  WHERE (id = ANY($2::uuid[]) OR id < $3::uuid) AND NOT $1 = ANY(seen_by)`
