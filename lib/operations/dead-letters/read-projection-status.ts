import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { may } from '#lib/access/rules/roles.ts'
import { type Visibility, visibilityOf } from '#lib/access/rules/visibility.ts'
import { listDeadLetters } from '#lib/deliveries/queue/dead-letters.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { readNotedMonths } from '#lib/timeline/projector/lost-months.ts'
import { readBacklog } from '#lib/timeline/projector/read-backlog.ts'

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

export interface DeadLetterView {
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
