import 'server-only'
import { showRecord } from '#lib/access/rules/records.ts'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { exactUpTo, type Total, upTo } from '#lib/platform/paging/paging.ts'
import { columnsOf, only, type RowOf, toView } from '#lib/timeline/tables/table.ts'
import { type TransactionRow, transactionTable } from '#lib/timeline/tables/transaction.ts'
import { type TransactionView, toTransactionViews } from '#lib/transactions/transaction-view.ts'

/** A page shows `shown` transactions; an export reads `pageOfExport` at once. */
const shown = 100
const pageOfExport = 2_000

interface Span {
  readonly beganAt: string
  readonly endedAt: string | null
}

export interface OpenTransaction extends TransactionView {
  /** The transaction has not finished and, when the gap is over, has not moved since: its outcome is not known here. */
  readonly unheard: boolean
}

/** The provider is asked about a transaction with these fields. */
export type NamedTransaction = Pick<OpenTransaction, 'uuid' | 'direction' | 'step' | 'lastMoveAt' | 'unheard'>

/** These transactions were open in a gap. */
export interface OpenIn<T extends NamedTransaction> {
  /** At most 100 transactions come, ordered by last move; those without a later event come first. */
  readonly transactions: readonly T[]
  /** This many have neither finished nor (once the gap is over) moved since. It is exact when `total` is. */
  readonly unheard: number
  /** `total` counts all of them; it is exact up to 1,000. */
  readonly total: Total
}

/** These transactions were open at some moment of the time, as far as deliveries show. */
export async function readOpenTransactions(role: StaffRole, span: Span): Promise<OpenIn<OpenTransaction>> {
  const { rows, ...counts } = countOpen(await pool().query<TransactionRow & Counted>(...openIn(span)))
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

/** Each open transaction has only its name and its step, for a page that lists none of them. */
export async function nameOpenTransactions(role: StaffRole, span: Span): Promise<OpenIn<NamedTransaction>> {
  const { rows, ...counts } = countOpen(
    await pool().query<RowOf<typeof named> & Counted>(...openIn(span, columnsOf(named))),
  )
  return {
    transactions: rows.map((row) =>
      showRecord(role, 'transaction', { ...toView(named, row), unheard: row.unheard }),
    ),
    ...counts,
  }
}

interface Counted {
  readonly unheard: boolean
  readonly in_all: number
  readonly unheard_in_all: number
}

const openIn = ({ beganAt, endedAt }: Span, columns?: string): [string, unknown[]] => [
  openQuery(exactUpTo + 1, shown, columns),
  [beganAt, endedAt],
]

const countOpen = <Row extends Counted>({ rows }: { readonly rows: readonly Row[] }) => ({
  rows,
  total: upTo(rows[0]?.in_all ?? 0),
  unheard: upTo(rows[0]?.unheard_in_all ?? 0).count,
})

/** All open transactions come in portions. */
export async function* everyOpenTransaction(
  role: StaffRole,
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

/** The two queries use an index each: finished transactions by their time range, unfinished ones by their start. */
const selectOpen = (restriction: string) => `
  (SELECT * FROM transaction WHERE finished_at IS NULL AND started_at <= COALESCE($2::timestamptz, 'infinity') ${restriction})
  UNION ALL
  (SELECT * FROM transaction WHERE finished_at IS NOT NULL
     AND open_while(started_at, finished_at) && tstzrange($1::timestamptz, $2::timestamptz, '[]') ${restriction})`

/** The test of its plan needs this export. */
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
