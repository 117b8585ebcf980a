import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { lookKinds } from '../rules/look-kinds.ts'
import { mayKnowLook } from '../rules/may-know-look.ts'

export const MuteSchema = z.object({
  kind: z.enum(lookKinds, 'This is nothing that the overview lists.'),
  about: z.string().regex(/^[^\0]{1,300}$/, 'This is nothing that the overview lists.'),
  /** The latest of what was seen, `since` or the last move of a transaction: what happens later is listed again. */
  since: z.iso.datetime('This is no time.'),
  reason: ReasonSchema,
})

/** Takes something off the overview until it happens again, or is unmuted. Throws `NotAllowed`. */
export async function mute(
  caller: Caller,
  { kind, about, since, reason }: z.output<typeof MuteSchema>,
  source: CallSource,
): Promise<{ readonly about: string }> {
  requirePermission(caller, 'work-on-cases')
  if (!mayKnowLook(caller.role, kind)) throw new NotAllowed()
  await inTransaction(pool(), async (tx) => {
    await tx.query(MUTE, [kind, about, reason, caller.id, since])
    const entry = { actor: caller, action: 'overview.mute', target: about, reason } as const
    await recordAudit(tx, { ...entry, outcome: 'done', details: { kind } }, source)
  })
  return { about }
}

const MUTE = `
  INSERT INTO overview_mute (kind, about, note, muted_by, covers_until) VALUES ($1, $2, $3, $4, LEAST($5, now()))
  ON CONFLICT (kind, about) DO UPDATE SET
    note = EXCLUDED.note, muted_by = EXCLUDED.muted_by, muted_at = now(), covers_until = EXCLUDED.covers_until`
