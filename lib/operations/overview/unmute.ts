import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { NotAllowed, Refused } from '#lib/platform/refusals.ts'
import { mayKnowLook } from '../rules/may-know-look.ts'
import { MuteSchema } from './mute.ts'

export const UnmuteSchema = MuteSchema.pick({ kind: true, about: true })

/** Lists something again that was muted. Throws `NotAllowed` and `Refused`. */
export async function unmute(
  caller: Caller,
  { kind, about }: z.output<typeof UnmuteSchema>,
  source: CallSource,
): Promise<{ readonly about: string }> {
  requirePermission(caller, 'work-on-cases')
  if (!mayKnowLook(caller.role, kind)) throw new NotAllowed()
  const unmuted = await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query('DELETE FROM overview_mute WHERE kind = $1 AND about = $2', [
      kind,
      about,
    ])
    if (rowCount === 0) return false
    const entry = { actor: caller, action: 'overview.unmute', target: about, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { kind } }, source)
    return true
  })
  if (!unmuted) throw new Refused(notMuted)
  return { about }
}

const notMuted = {
  title: 'This is not muted any more.',
  next: 'Somebody else unmuted it. Reload the page to see it.',
}
