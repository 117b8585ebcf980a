import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { type Visibility, visibilityOf } from '#lib/access/rules/visibility.ts'
import { type AuditEntry, recordAudit } from '#lib/audit/record-audit.ts'
import { wakeProjectors } from '#lib/deliveries/queue/enqueue.ts'
import {
  listDeadLetters,
  readLongestWait,
  requeueDeadLetters,
} from '#lib/deliveries/queue/read-queue-state.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { readNotedMonths } from '#lib/timeline/projector/lost-months.ts'
import { readBacklog } from '#lib/timeline/projector/rebuild-progress.ts'

/** The projection status says how far the timeline is behind the log, and which deliveries it lacks. */
export interface ProjectionStatus {
  /** `waiting` counts the deliveries in the queue. The oldest has waited for `oldestSeconds`; null when none waits. */
  readonly waiting: number
  readonly oldestSeconds: number | null
  readonly deadLetters: number
  /** The rebuild is the one that has not finished; null when there is none. */
  readonly rebuild: {
    readonly done: number
    readonly total: number
    /** The log does not have this many of the `done` deliveries any more. */
    readonly kept: number
    /** The rebuild follows a change of rules. Otherwise an operator requested it. */
    readonly newRules: boolean
  } | null
  /** The last check found these months of the log missing. Nothing is rebuilt until they are back. */
  readonly lostMonths: readonly string[]
  readonly oldestDeadLetters: readonly DeadLetterView[]
  readonly mayRetry: boolean
}

interface DeadLetterView {
  readonly deliveryId: string
  /** The time is ISO 8601. */
  readonly since: string
  readonly error: string
  /** The caller's role sees the raw body in this way. */
  readonly wholeBody: Visibility
}

const mostShown = 10

/** `readProjectionStatus` throws `NotAllowed`. */
export async function readProjectionStatus(caller: Caller): Promise<ProjectionStatus> {
  requirePermission(caller, 'see-endpoint-health')
  const [{ waiting, oldestSeconds, deadLetters, outdated, rebuild }, lost] = await Promise.all([
    readBacklog(pool()),
    readNotedMonths(pool()),
  ])
  const shown = deadLetters > 0 ? await listDeadLetters(pool(), mostShown) : []
  return {
    waiting,
    oldestSeconds,
    deadLetters,
    rebuild: rebuild && { ...rebuild, newRules: outdated },
    lostMonths: lost.map(({ name }) => name),
    oldestDeadLetters: shown.map(({ deliveryId, since, error }) => ({
      deliveryId,
      since: since.toISOString(),
      error,
      wholeBody: visibilityOf(caller.role, 'body'),
    })),
    mayRetry: may(caller.role, 'manage-endpoints'),
  }
}

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
  while (performance.now() < end && (await readLongestWait(pool())) !== null) await sleep(checkEvery)
  return { retried }
}
