import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import { requirePermission } from '#lib/auth/require-permission.ts'
import { pool } from '#lib/db/pool.ts'
import { may } from '#lib/domain/roles.ts'
import { readBacklog } from '#lib/projector/read-backlog.ts'
import { listSetAside } from '#lib/queue/list-set-aside.ts'

/** How far the timeline is behind what was received, and what it lacks. */
export interface Projection {
  /** Deliveries that wait, and for how many seconds the oldest does; null when none waits. */
  readonly waiting: number
  readonly oldestSeconds: number | null
  readonly setAside: number
  /** How far the folding anew of rows that other rules made is; null when there are none, or it has not begun. */
  readonly renewal: { readonly done: number; readonly total: number } | null
  /** The oldest of those set aside. */
  readonly shown: readonly SetAsideView[]
  readonly mayTryAgain: boolean
}

export interface SetAsideView {
  readonly deliveryId: string
  /** ISO 8601 */
  readonly since: string
  readonly error: string
  /** What arrived, shortened; null when the caller may not see it, or nobody can any more. */
  readonly body: string | null
}

const mostShown = 10

/** Throws `NotAllowed`. */
export async function readProjection(caller: Caller): Promise<Projection> {
  requirePermission(caller, 'see-endpoint-health')
  const [{ waiting, oldestSeconds, setAside, outdated, rebuild }, shown] = await Promise.all([
    readBacklog(pool()),
    listSetAside(pool(), mostShown),
  ])
  const maySee = may(caller.role, 'see-personal-data')
  return {
    waiting,
    oldestSeconds,
    setAside,
    renewal: outdated ? rebuild : null,
    shown: shown.map(({ deliveryId, since, error, start }) => ({
      deliveryId,
      since: since.toISOString(),
      error,
      body: maySee && start ? new TextDecoder().decode(start) : null,
    })),
    mayTryAgain: may(caller.role, 'manage-endpoints'),
  }
}
