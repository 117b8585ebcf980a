import 'server-only'
import { z } from 'zod'
import { recordAudit } from '#lib/audit/record-audit.ts'
import type { Caller } from '#lib/auth/caller.ts'
import type { CallSource } from '#lib/auth/request-context.ts'
import { requirePermission } from '#lib/auth/require-permission.ts'
import { pool } from '#lib/db/pool.ts'
import { Reason } from '#lib/endpoints/endpoint-forms.ts'
import { storedChannel } from '#lib/ingest/announce-stored.ts'
import { retrySetAside } from '#lib/projector/retry-set-aside.ts'

export const TryAgainForm = z.object({ reason: Reason })

/** Hands whatever was set aside to the projector once more. Throws `NotAllowed`. */
export async function tryAgain(
  caller: Caller,
  { reason }: z.output<typeof TryAgainForm>,
  source: CallSource,
): Promise<{ readonly retried: number }> {
  requirePermission(caller, 'manage-endpoints')
  const retried = await retrySetAside(pool())
  await pool().query(`NOTIFY ${storedChannel}`)
  await recordAudit(
    { actor: caller, action: 'delivery.try-again', outcome: 'done', reason, details: { retried } },
    source,
  )
  return { retried }
}
