import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { pageOf } from '#lib/platform/paging/paging.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type FileColumn, fileText } from '#lib/platform/rules/csv.ts'
import type { ExportResultsSchema } from './replay-forms.ts'
import { findReplay } from './replays.ts'

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
