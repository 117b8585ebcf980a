import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { REPLAYS, type ReplayView, toReplayView } from './replay-view.ts'

/** One replay as it stands now; null for an unknown one. Throws `NotAllowed`. */
export async function findReplay(caller: Caller, id: string): Promise<ReplayView | null> {
  requirePermission(caller, 'replay-deliveries')
  if (parseReplayId(id) === null) return null
  const { rows } = await pool().query(`${REPLAYS} WHERE r.id = $1`, [id])
  return rows[0] ? toReplayView(rows[0]) : null
}

/** The id of a replay as an address has it; null for anything else. */
export const parseReplayId = (text: unknown): string | null => z.guid().safeParse(text).data ?? null
