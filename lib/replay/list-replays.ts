import 'server-only'
import { pool } from '#lib/db/pool.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { REPLAYS, type ReplayView, toReplayView } from './replay-view.ts'

const page = 50

/** Replays, newest first, and from which one older ones follow. Throws `NotAllowed`. */
export async function listReplays(
  caller: Caller,
  before: string | null = null,
): Promise<{ readonly replays: readonly ReplayView[]; readonly older: string | null }> {
  requirePermission(caller, 'replay-deliveries')
  const { rows } = await pool().query(
    `${REPLAYS} WHERE $2::uuid IS NULL OR r.id < $2::uuid ORDER BY r.id DESC LIMIT $1`,
    [page + 1, before],
  )
  const replays = rows.slice(0, page).map(toReplayView)
  return { replays, older: rows.length > page ? (replays.at(-1)?.id ?? null) : null }
}
