import 'server-only'
import type pg from 'pg'
import type { CallSource } from '#lib/access/caller.ts'
import { type AuditEntry, recordAudit } from '#lib/audit/record-audit.ts'
import { wakeProjectors } from '#lib/deliveries/queue/announce-stored.ts'
import { requeueDeadLetters } from '#lib/deliveries/queue/dead-letters.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'

/**
 * Retries all dead letters and records who asked for it.
 * @returns how many deliveries
 */
export async function retryDeadLetters(
  pool: pg.Pool,
  by: Pick<AuditEntry, 'actor' | 'reason'>,
  source: CallSource,
): Promise<number> {
  const retried = await inTransaction(pool, async (tx) => {
    const count = await requeueDeadLetters(tx)
    const entry = {
      ...by,
      action: 'delivery.try-again',
      outcome: 'done',
      details: { retried: count },
    } as const
    await recordAudit(tx, entry, source)
    return count
  })
  await wakeProjectors(pool)
  return retried
}
