import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { type AuditEntry, recordAudit } from '#lib/audit/record-audit.ts'
import { wakeProjectors } from '#lib/deliveries/queue/announce-stored.ts'
import { requeueDeadLetters } from '#lib/deliveries/queue/dead-letters.ts'
import { readOldestWaiting } from '#lib/deliveries/queue/read-queue-state.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'

/**
 * `retryDeadLetters` retries all dead letters and records in the audit who requested it.
 * @returns the number of deliveries
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

export const RetryDeadLettersSchema = z.object({ reason: ReasonSchema })

/** The projector usually folds the requeued deliveries within this many milliseconds. */
const waitMs = 3_000

/** The queue is checked at this interval in milliseconds. */
const checkEvery = 100

/**
 * `retryDeadLettersNow` retries all dead letters and waits up to 3 s, so that the page can show the result. It throws
 * `NotAllowed`.
 */
export async function retryDeadLettersNow(
  caller: Caller,
  { reason }: z.output<typeof RetryDeadLettersSchema>,
  source: CallSource,
): Promise<{ readonly retried: number }> {
  requirePermission(caller, 'manage-endpoints')
  const retried = await retryDeadLetters(pool(), { actor: caller, reason }, source)
  const end = performance.now() + waitMs
  while (performance.now() < end && (await readOldestWaiting(pool())) !== null) await sleep(checkEvery)
  return { retried }
}
