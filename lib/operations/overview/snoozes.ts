import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { showValue } from '#lib/access/rules/visibility.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { attentionKinds, isAttentionKind, mayKnowAttention } from '../rules/attention-kinds.ts'
import type { SnoozeView } from './attention-items.ts'

export const SnoozeSchema = z.object({
  kind: z.enum(attentionKinds, 'This is nothing that the overview lists.'),
  about: z.string().regex(/^[^\0]{1,300}$/, 'This is nothing that the overview lists.'),
  /**
   * The time is the latest that the author saw, `since` or the last move of a transaction. Later events list the item
   * again.
   */
  since: z.iso.datetime('This is no time.'),
  reason: ReasonSchema,
})

/**
 * `snooze` hides an item from the overview until it happens again, or somebody takes the snooze back. It throws
 * `NotAllowed`.
 */
export async function snooze(
  caller: Caller,
  { kind, about, since, reason }: z.output<typeof SnoozeSchema>,
  source: CallSource,
): Promise<{ readonly about: string }> {
  requirePermission(caller, 'work-on-cases')
  if (!mayKnowAttention(caller.role, kind)) throw new NotAllowed()
  await inTransaction(pool(), async (tx) => {
    await tx.query(SNOOZE, [kind, about, reason, caller.id, since])
    const entry = { actor: caller, action: 'overview.mute', target: about, reason } as const
    await recordAudit(tx, { ...entry, outcome: 'done', details: { kind } }, source)
  })
  return { about }
}

const SNOOZE = `
  INSERT INTO overview_mute (kind, about, note, muted_by, muted_at, covers_until)
  VALUES ($1, $2, $3, $4, now(), LEAST($5, now()))
  ON CONFLICT (kind, about) DO UPDATE SET
    note = EXCLUDED.note, muted_by = EXCLUDED.muted_by, muted_at = EXCLUDED.muted_at,
    covers_until = EXCLUDED.covers_until`

export const UnsnoozeSchema = SnoozeSchema.pick({ kind: true, about: true })

/** `unsnooze` lists a snoozed item again. It throws `NotAllowed` and `Refused`. */
export async function unsnooze(
  caller: Caller,
  { kind, about }: z.output<typeof UnsnoozeSchema>,
  source: CallSource,
): Promise<{ readonly about: string }> {
  requirePermission(caller, 'work-on-cases')
  if (!mayKnowAttention(caller.role, kind)) throw new NotAllowed()
  const unsnoozed = await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query('DELETE FROM overview_mute WHERE kind = $1 AND about = $2', [
      kind,
      about,
    ])
    if (rowCount === 0) return false
    const entry = { actor: caller, action: 'overview.unmute', target: about, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { kind } }, source)
    return true
  })
  if (!unsnoozed) throw new Refused('not-muted')
  return { about }
}

/** `listSnoozes` lists snoozed items, the latest first, at most 200. It throws `NotAllowed`. */
export async function listSnoozes(caller: Caller): Promise<SnoozeView[]> {
  requirePermission(caller, 'see-everything')
  const { rows } = await pool().query<SnoozeRow>(LIST)
  return rows.flatMap(({ kind, at, note, subjectId, ...rest }) =>
    isAttentionKind(kind) && mayKnowAttention(caller.role, kind)
      ? [{ ...rest, kind, at: at.toISOString(), note: showValue(caller.role, 'free-text', note), subjectId }]
      : [],
  )
}

interface SnoozeRow {
  readonly kind: string
  readonly about: string
  readonly note: string
  readonly by: string
  readonly at: Date
  readonly subjectId: string | null
}

/** A transaction is referred to by its subject, a gap and an event by their ids. */
const LIST = `
  WITH snoozed AS MATERIALIZED (SELECT * FROM overview_mute ORDER BY muted_at DESC LIMIT 200),
  happened AS MATERIALIZED (
    SELECT id, subject_id FROM event WHERE id = ANY(ARRAY(
      SELECT about::uuid FROM snoozed WHERE about ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'))
  )
  SELECT kind, about, note, muted_at AS at,
    COALESCE((SELECT name FROM member WHERE muted_by IN (member.user_uuid::text, member.id::text) LIMIT 1), muted_by) AS by,
    CASE WHEN about LIKE 'transaction:%' THEN about
         ELSE (SELECT subject_id FROM happened WHERE happened.id::text = about LIMIT 1) END AS "subjectId"
  FROM snoozed ORDER BY muted_at DESC`
