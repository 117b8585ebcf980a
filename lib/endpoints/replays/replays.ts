import 'server-only'
import { z } from 'zod'
import { type Caller, requirePermission } from '#lib/access/caller.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { pageOf } from '#lib/platform/paging/paging.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import { type ReplayFilter, ReplayFilterSchema } from './replay-forms.ts'
import { isAlive } from './replay-store.ts'

/** `interrupted`: the process that ran the replay has died. `failing`: the replay gave up after failures in a row. */
const replayStates = ['running', 'stopped', 'failing', 'interrupted', 'done'] as const

export type ReplayState = (typeof replayStates)[number]

/** `ReplayView` is a replay for a page. Times are ISO 8601. */
export interface ReplayView {
  readonly id: string
  /** The address is null when the replay goes into the projection. */
  readonly address: string | null
  readonly filter: ReplayFilter
  /** The pace is the maximum number of deliveries a second. */
  readonly pace: number
  readonly reason: string
  /** This is the e-mail address of the admin who started it, or their name, or their id. */
  readonly startedBy: string
  readonly startedAt: string
  readonly lastMoveAt: string
  readonly state: ReplayState
  readonly total: number
  readonly done: number
  readonly failed: number
}

/** The statement reads replays; conditions on `r` may follow it. */
const REPLAYS = `
  SELECT r.id, r.address, r.filter, r.pace, r.reason, COALESCE(p.email, m.name, r.actor) AS started_by, r.started_at, r.last_progress_at,
         r.total, r.done, r.failed,
         CASE WHEN state = 'running' AND NOT ${isAlive('r')} THEN 'interrupted' ELSE state END AS state
  FROM replay r LEFT JOIN person p ON p.user_uuid::text = r.actor
  LEFT JOIN member m ON r.actor IN (m.user_uuid::text, m.id::text)`

const RowSchema = z
  .object({
    id: z.string(),
    // The path and query may be a secret of the receiver.
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

type ReplayRow = z.input<typeof RowSchema>

const toReplayView = (row: ReplayRow): ReplayView => RowSchema.parse(row)

/** A page has this many replays. */
const limit = 50

/** Replays come newest first, 50 on a page. `older` is the value of `before` for the next page. Throws `NotAllowed`. */
export async function listReplays(
  caller: Caller,
  before: string | null = null,
): Promise<{ readonly replays: readonly ReplayView[]; readonly older: string | null }> {
  requirePermission(caller, 'replay-deliveries')
  const { rows } = await pool().query<ReplayRow>(
    `${REPLAYS} WHERE $2::uuid IS NULL OR r.id < $2::uuid ORDER BY r.id DESC LIMIT $1`,
    [limit + 1, before],
  )
  const { listed, next } = pageOf(rows.map(toReplayView), limit, ({ id }) => id)
  return { replays: listed, older: next }
}

/** The replay is read as it is now; null for an unknown one. Throws `NotAllowed`. */
export async function findReplay(caller: Caller, id: string): Promise<ReplayView | null> {
  requirePermission(caller, 'replay-deliveries')
  if (parseReplayId(id) === null) return null
  const { rows } = await pool().query<ReplayRow>(`${REPLAYS} WHERE r.id = $1`, [id])
  return rows[0] ? toReplayView(rows[0]) : null
}

/** An address may hold the id of a replay; null for anything else. */
export const parseReplayId = (text: unknown): string | null => z.guid().safeParse(text).data ?? null
