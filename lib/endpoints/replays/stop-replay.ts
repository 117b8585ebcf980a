import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { Refused } from '#lib/platform/refusals.ts'
import type { StopReplaySchema } from './replay-forms.ts'
import { stopStoredReplay } from './replay-store.ts'

/** Ends a replay within a second; it can go on later. No fresh sign-in: it does no harm. Throws `NotAllowed`, `Refused`. */
export async function stopReplay(
  caller: Caller,
  { replayId, reason }: z.output<typeof StopReplaySchema>,
  source: CallSource,
): Promise<{ readonly replayId: string }> {
  requirePermission(caller, 'replay-deliveries')
  await inTransaction(pool(), async (tx) => {
    if (!(await stopStoredReplay(tx, replayId))) throw new Refused(notRunning)
    const entry = { actor: caller, action: 'replay.stop', target: replayId, outcome: 'done', reason } as const
    await recordAudit(tx, entry, source)
  })
  return { replayId }
}

const notRunning = {
  title: 'This replay is not running.',
  next: 'Reload the page to see how it stands.',
}
