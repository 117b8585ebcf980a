import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'

export const ReopenGapSchema = z.object({
  gapId: uuidField('This is not the id of a gap.'),
  reason: ReasonSchema,
})

/** Takes back what was said of a gap; the audit keeps it. Throws `NotAllowed` and `Refused`. */
export async function reopenGap(
  caller: Caller,
  { gapId, reason }: z.output<typeof ReopenGapSchema>,
  source: CallSource,
): Promise<{ readonly gapId: string }> {
  requirePermission(caller, 'manage-endpoints')
  const reopened = await inTransaction(pool(), async (tx) => {
    const { rowCount } = await tx.query(REOPEN, [gapId])
    const entry = { actor: caller, action: 'gap.reopen', target: gapId, reason } as const
    await recordAudit(tx, { ...entry, outcome: rowCount === 1 ? 'done' : 'refused' }, source)
    return rowCount === 1
  })
  if (!reopened) throw new Refused(notClosed)
  return { gapId }
}

const REOPEN = `
  UPDATE gap SET outcome = NULL, reason = NULL, closed_by = NULL, closed_at = NULL
  WHERE id = $1 AND outcome IS NOT NULL`

const notClosed = {
  title: 'This gap is not closed.',
  next: 'Nothing was changed. Reload the page to see how it stands.',
}
