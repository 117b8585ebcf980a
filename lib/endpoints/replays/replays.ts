import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { pageOf } from '#lib/platform/paging/paging.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type FileColumn, fileText } from '#lib/platform/rules/csv.ts'
import { maskUrl } from '#lib/platform/rules/network-addresses.ts'
import { type ExportResultsSchema, type ReplayFilter, ReplayFilterSchema } from './replay-forms.ts'
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

/** `ResultView` is the result of one delivery of a replay. Times are ISO 8601. */
export interface ResultView {
  /** Deliveries are ordered by their arrival. The order is a number as text. */
  readonly order: string
  readonly deliveryId: string
  /** The time is null when the delivery's body is no longer kept. */
  readonly receivedAt: string | null
  readonly type: string | null
  readonly subType: string | null
  readonly transactionUuid: string | null
  /** The time is null while the delivery waits. */
  readonly sentAt: string | null
  readonly status: number | null
  readonly ms: number | null
  /** The error is null when the delivery was accepted. */
  readonly error: string | null
}

export interface ResultPageView {
  readonly rows: readonly ResultView[]
  /** The next page begins at this order; null on the last page. */
  readonly next: string | null
}

/** Deliveries of a replay come in their order; with `failed`, only those that failed. Throws `NotAllowed`. */
export async function listResults(
  caller: Caller,
  replayId: string,
  { after = '0', failed = false, limit = 100 }: { after?: string; failed?: boolean; limit?: number } = {},
): Promise<ResultPageView> {
  requirePermission(caller, 'replay-deliveries')
  const { rows } = await pool().query<ResultRow>(RESULTS, [replayId, after, failed, limit + 1])
  const { listed, next } = pageOf(rows, limit, ({ seq }) => String(seq))
  return { rows: listed.map(toResultView), next }
}

interface ResultRow {
  readonly seq: bigint
  readonly delivery_id: string
  readonly received_at: Date | null
  readonly type: string | null
  readonly sub_type: string | null
  readonly transaction_uuid: string | null
  readonly at: Date | null
  readonly status: number | null
  readonly ms: number | null
  readonly error: string | null
}

const toResultView = (row: ResultRow): ResultView => ({
  order: String(row.seq),
  deliveryId: row.delivery_id,
  receivedAt: row.received_at?.toISOString() ?? null,
  type: row.type,
  subType: row.sub_type,
  transactionUuid: row.transaction_uuid,
  sentAt: row.at?.toISOString() ?? null,
  status: row.status,
  ms: row.ms,
  error: row.error,
})

const RESULTS = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM replay_delivery
    WHERE replay_id = $1 AND seq > $2::bigint AND (NOT $3::boolean OR error IS NOT NULL)
    ORDER BY seq LIMIT $4
  ), carried AS MATERIALIZED (
    SELECT DISTINCT ON (ed.delivery_id) ed.delivery_id, e.type, e.sub_type,
      substring(e.subject_id FROM '^transaction:(.*)$') AS transaction_uuid
    FROM event_delivery ed JOIN event e ON e.subject_id = ed.subject_id AND e.id = ed.event_id
    WHERE ed.delivery_id = ANY(ARRAY(SELECT delivery_id FROM asked)) ORDER BY ed.delivery_id
  )
  SELECT asked.seq, delivery_id, at, status, ms, error, d.received_at, type, sub_type, transaction_uuid
  FROM asked LEFT JOIN delivery d ON d.id = delivery_id LEFT JOIN carried USING (delivery_id)
  ORDER BY asked.seq`

/**
 * The session may fetch the results of a replay for one minute. They include checks of transactions. Throws
 * `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function allowResultsExport(
  caller: Caller,
  { replayId, reason }: z.output<typeof ExportResultsSchema>,
  source: CallSource,
): Promise<{ readonly ticket: string }> {
  requirePermission(caller, 'replay-deliveries')
  requireFreshSignIn(caller)
  if (!(await findReplay(caller, replayId))) throw new Refused('replay-unknown')
  const entry = { action: 'replay.export', target: replayId } as const
  const what = 'the results of a replay'
  return { ticket: await giveTicket(caller, { file: fileOf(replayId), what, entry, reason }, source) }
}

const fileOf = (replayId: string) => `replay ${replayId}`

/**
 * The CSV (RFC 4180) has the results of a replay. It is read page by page, so it is never in memory as a whole. The
 * session must have been allowed to fetch it; null for an unknown replay. Throws `NotAllowed`.
 */
export async function exportResults(
  caller: Caller,
  replayId: string,
  ticket: string,
): Promise<AsyncGenerator<string> | null> {
  requirePermission(caller, 'replay-deliveries')
  requireTicket(caller, fileOf(replayId), ticket)
  return (await findReplay(caller, replayId)) && fileText('csv', everyResult(caller, replayId), columns)
}

async function* everyResult(caller: Caller, replayId: string): AsyncGenerator<readonly ResultView[]> {
  let after: string | null = '0'
  while (after !== null) {
    const { rows, next } = await listResults(caller, replayId, { after, limit: 1_000 })
    yield rows
    after = next
  }
}

const names = [
  'order',
  'deliveryId',
  'receivedAt',
  'type',
  'subType',
  'transactionUuid',
  'sentAt',
  'status',
  'ms',
  'error',
] as const satisfies readonly (keyof ResultView)[]

const columns = names.map((name): FileColumn<ResultView> => [name, (row) => row[name]])
