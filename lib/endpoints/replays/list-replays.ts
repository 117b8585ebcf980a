import 'server-only'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { pageOf } from '#lib/platform/paging/paging.ts'
import { REPLAYS, type ReplayView, toReplayView } from './replay-view.ts'

/** Replays on a page. */
const limit = 50

/** Replays, newest first, and from which one older ones follow. Throws `NotAllowed`. */
export async function listReplays(
  caller: Caller,
  before: string | null = null,
): Promise<{ readonly replays: readonly ReplayView[]; readonly older: string | null }> {
  requirePermission(caller, 'replay-deliveries')
  const { rows } = await pool().query(
    `${REPLAYS} WHERE $2::uuid IS NULL OR r.id < $2::uuid ORDER BY r.id DESC LIMIT $1`,
    [limit + 1, before],
  )
  const { listed, next } = pageOf(rows.map(toReplayView), limit, ({ id }) => id)
  return { replays: listed, older: next }
}
