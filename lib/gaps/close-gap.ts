import 'server-only'
import { z } from 'zod'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { Refused } from '#lib/auth/refusals.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { requirePermission } from '#lib/auth/require-permission.ts'
import { prisma } from '#lib/db/prisma.ts'
import { gapOutcomes } from '#lib/domain/gaps.ts'
import { Reason } from '#lib/endpoints/endpoint-forms.ts'

export const CloseGapForm = z.object({
  gapId: z.guid('This is not the id of a gap.').toLowerCase(),
  outcome: z.enum(gapOutcomes, 'Choose what came of it.'),
  reason: Reason,
})

/** Says what came of a gap, whether it lasts or not. It can be opened again. Throws `NotAllowed` and `Refused`. */
export async function closeGap(
  caller: Caller,
  { gapId, outcome, reason }: z.output<typeof CloseGapForm>,
  source: CallSource,
): Promise<{ readonly gapId: string }> {
  requirePermission(caller, 'manage-endpoints')
  const { count } = await prisma().gap.updateMany({
    where: { id: gapId, outcome: null },
    data: { outcome, reason, closedBy: caller.userUuid, closedAt: new Date() },
  })
  const done = count === 1
  await recordAuditAlone(
    {
      actor: caller,
      action: 'gap.close',
      target: gapId,
      outcome: done ? 'done' : 'refused',
      reason,
      details: { outcome },
    },
    source,
  )
  if (!done) throw new Refused(notOpen)
  return { gapId }
}

const notOpen = {
  title: 'This gap is not open.',
  next: 'Nothing was changed. It was closed by somebody else, or has become part of another: reload the page.',
}
