import 'server-only'
import { showRecord } from '#lib/access/rules/records.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { exactUpTo, type Total, upTo } from '#lib/platform/paging/paging.ts'
import { columnsOf, only, type RowOf, toView } from '#lib/timeline/tables/table.ts'
import { type TransactionRow, transactionTable } from '#lib/timeline/tables/transaction.ts'
import { type TransactionView, toTransactionViews } from '#lib/transactions/transaction-view.ts'

/** What a page shows of them, and how many an export reads at once. */
const shown = 100
const pageOfExport = 2_000

interface Span {
  readonly beganAt: string
  readonly endedAt: string | null
}

export interface OpenTransaction extends TransactionView {
  /** It has neither finished nor, when the gap is over, moved since: what came of it is not known here. */
  readonly unheard: boolean
}

/** What of one is needed to ask the provider about it. */
export type NamedTransaction = Pick<OpenTransaction, 'uuid' | 'direction' | 'step' | 'lastMoveAt' | 'unheard'>

/** Transactions that were open in a gap. */
export interface OpenIn<T extends NamedTransaction> {
  /** At most 100: first those without an event since, ordered by last move. */
  readonly transactions: readonly T[]
  /** How many of them have neither finished nor (once the gap is over) moved since; exact as `total` is. */
  readonly unheard: number
  /** How many they are; `exact` up to 1,000. */
  readonly total: Total
}

/** The transactions that were open at some moment of this time, as far as deliveries show. */
export async function readOpenTransactions(role: Role, span: Span): Promise<OpenIn<OpenTransaction>> {
  const { rows, ...counts } = await readOpen<TransactionRow>(span, '*')
  const listed = await toTransactionViews(role, rows)
  return {
    transactions: listed.map(
      (row, i): OpenTransaction => ({
        ...row,
        ...showRecord(role, 'transaction', { unheard: rows[i]?.unheard ?? false }),
      }),
    ),
    ...counts,
  }
}

const named = only(transactionTable, 'subjectId', 'uuid', 'direction', 'step', 'lastMoveAt')

/** The same with no more of each than its name and where it stands, for a page that lists none of them. */
export async function nameOpenTransactions(role: Role, span: Span): Promise<OpenIn<NamedTransaction>> {
  const { rows, ...counts } = await readOpen<RowOf<typeof named>>(span, columnsOf(named))
  return {
    transactions: rows.map((row) =>
      showRecord(role, 'transaction', { ...toView(named, row), unheard: row.unheard }),
    ),
    ...counts,
  }
}

async function readOpen<Row extends object>({ beganAt, endedAt }: Span, columns: string) {
  const { rows } = await pool().query<Row & { unheard: boolean; in_all: number; unheard_in_all: number }>(
    openQuery(exactUpTo + 1, shown, columns),
    [beganAt, endedAt],
  )
  return { rows, total: upTo(rows[0]?.in_all ?? 0), unheard: upTo(rows[0]?.unheard_in_all ?? 0).count }
}

/** All of them, in portions. */
export async function* everyOpenTransaction(
  role: Role,
  { beganAt, endedAt }: Span,
): AsyncGenerator<TransactionView[]> {
  let after = ''
  for (;;) {
    const { rows } = await pool().query<TransactionRow>(EVERY, [beganAt, endedAt, after, pageOfExport])
    yield await toTransactionViews(role, rows)
    const last = rows.at(-1)
    if (!last || rows.length < pageOfExport) return
    after = last.subject_id
  }
}

/**
 * Two queries, each with its own index: finished transactions by their time range, unfinished ones by their
 * start.
 */
const selectOpen = (restriction: string) => `
  (SELECT * FROM transaction WHERE finished_at IS NULL AND started_at <= COALESCE($2::timestamptz, 'infinity') ${restriction})
  UNION ALL
  (SELECT * FROM transaction WHERE finished_at IS NOT NULL
     AND open_while(started_at, finished_at) && tstzrange($1::timestamptz, $2::timestamptz, '[]') ${restriction})`

/** Exported for the test of its plan. */
export const openQuery = (most: number, limit: number, columns = '*') => `
  WITH open AS MATERIALIZED (
    SELECT ${columns}, finished_at IS NULL AND last_move_at <= COALESCE($2::timestamptz, 'infinity') AS unheard
    FROM (${selectOpen(`LIMIT ${most}`)}) AS either LIMIT ${most}
  )
  SELECT *, count(*) OVER ()::int AS in_all, count(*) FILTER (WHERE unheard) OVER ()::int AS unheard_in_all
  FROM open ORDER BY unheard DESC, last_move_at DESC, subject_id DESC LIMIT ${limit}`

const EVERY = `
  WITH open AS MATERIALIZED (${selectOpen('AND subject_id > $3')})
  SELECT * FROM open ORDER BY subject_id LIMIT $4`
