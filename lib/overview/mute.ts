import 'server-only'
import { z } from 'zod'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { lookKinds } from '#lib/domain/overview/look-kinds.ts'
import { mayKnowLook } from '#lib/domain/overview/may-know-look.ts'
import { ReasonSchema } from '#lib/forms/reason.ts'
import type { Caller } from '#lib/request/caller.ts'
import { NotAllowed } from '#lib/request/refusals.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { requirePermission } from '#lib/request/require-permission.ts'

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
