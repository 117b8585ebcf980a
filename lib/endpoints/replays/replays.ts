import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { pageOf } from '#lib/platform/paging/paging.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import { type ReplayFilter, ReplayFilterSchema } from './replay-forms.ts'
import { isAlive } from './replay-store.ts'

/** How a replay stands. `interrupted`: whoever ran it has died. `failing`: it gave up, one failed after the other. */
const replayStates = ['running', 'stopped', 'failing', 'interrupted', 'done'] as const

export type ReplayState = (typeof replayStates)[number]

/** A replay as pages show it. Times are ISO 8601. */
export interface ReplayView {
  readonly id: string
  /** Null when it goes into the projection. */
  readonly address: string | null
  readonly filter: ReplayFilter
  /** Deliveries a second at most. */
  readonly pace: number
  readonly reason: string
  /** The e-mail of whoever started it, their name, or their id. */
  readonly startedBy: string
  readonly startedAt: string
  readonly lastMoveAt: string
  readonly state: ReplayState
  readonly total: number
  readonly done: number
  readonly failed: number
}

/** Reads replays; `r` can be narrowed by what follows. */
const REPLAYS = `
  SELECT r.id, r.address, r.filter, r.pace, r.reason, COALESCE(p.email, m.name, r.actor) AS started_by, r.started_at, r.last_progress_at,
         r.total, r.done, r.failed,
         CASE WHEN state = 'running' AND NOT ${isAlive('r')} THEN 'interrupted' ELSE state END AS state
  FROM replay r LEFT JOIN person p ON p.user_uuid::text = r.actor
  LEFT JOIN member m ON r.actor IN (m.user_uuid::text, m.id::text)`

const RowSchema = z
  .object({
    id: z.string(),
    // Its path and query may be a secret of the receiver.
    address: z.string().transform(maskUrl).nullable(),
    filter: ReplayFilterSchema,
    pace: z.number(),
    reason: z.string(),
    started_by: z.string(),
    started_at: z.date(),
    last_progress_at: z.date(),
    state: z.enum(replayStates),
    total: z.number(),
    done: z.number(),
    failed: z.number(),
  })
  .transform(
    ({ started_by, started_at, last_progress_at, ...row }): ReplayView => ({
      ...row,
      startedBy: started_by,
      startedAt: started_at.toISOString(),
      lastMoveAt: last_progress_at.toISOString(),
    }),
  )

const toReplayView = (row: unknown): ReplayView => RowSchema.parse(row)

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

/** One replay as it stands now; null for an unknown one. Throws `NotAllowed`. */
export async function findReplay(caller: Caller, id: string): Promise<ReplayView | null> {
  requirePermission(caller, 'replay-deliveries')
  if (parseReplayId(id) === null) return null
  const { rows } = await pool().query(`${REPLAYS} WHERE r.id = $1`, [id])
  return rows[0] ? toReplayView(rows[0]) : null
}

/** The id of a replay as an address has it; null for anything else. */
export const parseReplayId = (text: unknown): string | null => z.guid().safeParse(text).data ?? null
