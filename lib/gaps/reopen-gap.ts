import 'server-only'
import { z } from 'zod'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { Refused } from '#lib/auth/refusals.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { requirePermission } from '#lib/auth/require-permission.ts'
import { prisma } from '#lib/db/prisma.ts'
import { Reason } from '#lib/endpoints/endpoint-forms.ts'

export const ReopenGapForm = z.object({
  gapId: z.guid('This is not the id of a gap.').toLowerCase(),
  reason: Reason,
})

/** Takes back what was said of a gap; the audit keeps it. Throws `NotAllowed` and `Refused`. */
export async function reopenGap(
  caller: Caller,
  { gapId, reason }: z.output<typeof ReopenGapForm>,
  source: CallSource,
): Promise<{ readonly gapId: string }> {
  requirePermission(caller, 'manage-endpoints')
  const { count } = await prisma().gap.updateMany({
    where: { id: gapId, outcome: { not: null } },
    data: { outcome: null, reason: null, closedBy: null, closedAt: null },
  })
  const done = count === 1
  await recordAuditAlone(
    { actor: caller, action: 'gap.reopen', target: gapId, outcome: done ? 'done' : 'refused', reason },
    source,
  )
  if (!done) throw new Refused(notClosed)
  return { gapId }
}

const notClosed = {
  title: 'This gap is not closed.',
  next: 'Nothing was changed. Reload the page to see how it stands.',
}
