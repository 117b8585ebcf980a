import 'server-only'
import type { z } from 'zod'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import type { Caller } from '#lib/auth/caller.ts'
import { Refused } from '#lib/auth/refusals.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { requirePermission } from '#lib/auth/require-permission.ts'
import { pool } from '#lib/db/pool.ts'
import type { StopReplayForm } from './replay-forms.ts'
import { haltReplay } from './replay-store.ts'

/** Ends a replay within a delivery; it can go on later. No fresh sign-in: it does no harm. Throws `NotAllowed`, `Refused`. */
export async function stopReplay(
  caller: Caller,
  { replayId, reason }: z.output<typeof StopReplayForm>,
  source: CallSource,
): Promise<{ readonly replayId: string }> {
  requirePermission(caller, 'replay-deliveries')
  if (!(await haltReplay(pool(), replayId))) throw new Refused(notRunning)
  await recordAuditAlone(
    { actor: caller, action: 'replay.stop', target: replayId, outcome: 'done', reason },
    source,
  )
  return { replayId }
}

const notRunning = {
  title: 'This replay is not running.',
  next: 'Reload the page to see how it stands.',
}
