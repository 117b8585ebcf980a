import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { type Visibility, visibilityOf } from '#lib/access/rules/visibility.ts'
import { listDeadLetters } from '#lib/deliveries/queue/dead-letters.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { readNotedMonths } from '#lib/timeline/projector/lost-months.ts'
import { readBacklog } from '#lib/timeline/projector/read-backlog.ts'

/** How far the timeline lags behind the log, and which deliveries it lacks. */
export interface ProjectionStatus {
  /** Deliveries that wait, and for how many seconds the oldest does; null when none waits. */
  readonly waiting: number
  readonly oldestSeconds: number | null
  readonly deadLetters: number
  /** Progress of a rebuild that has not finished; null when there is none. */
  readonly rebuild: {
    readonly done: number
    readonly total: number
    /** Deliveries among `done` that the log does not hold any more. */
    readonly kept: number
    /** It follows a change of rules; otherwise an operator wanted it. */
    readonly newRules: boolean
  } | null
  /** Months of the log that are missing, as the last look found them: until they are back nothing is rebuilt. */
  readonly lostMonths: readonly string[]
  /** The oldest dead letters. */
  readonly oldestDeadLetters: readonly DeadLetterView[]
  readonly mayRetry: boolean
}

export interface DeadLetterView {
  readonly deliveryId: string
  /** ISO 8601 */
  readonly since: string
  readonly error: string
  /** How the caller's role gets what arrived. */
  readonly wholeBody: Visibility
}

const mostShown = 10

/** Throws `NotAllowed`. */
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
