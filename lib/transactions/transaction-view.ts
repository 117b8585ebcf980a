import 'server-only'
import { showRecord } from '#lib/access/rules/records.ts'
import type { StaffRole } from '#lib/access/rules/roles.ts'
import { emailsOf } from '#lib/identity/users/directory.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import type { FileColumn } from '#lib/platform/rules/csv.ts'
import { toView, type ViewOf, without } from '#lib/timeline/tables/table.ts'
import { type TransactionRow, transactionTable } from '#lib/timeline/tables/transaction.ts'
import { paymentCells } from './labels/payment-labels.ts'
import type { FilterPart, TransactionMatch, TransactionSort } from './rules/transaction-filters.ts'
import { readStuckCheck } from './usual-times.ts'

const shown = without(transactionTable, 'details', 'stepBeganAt')

/** Lists show a transaction in this form. Amounts are digits as written, times of receipt are ISO 8601. */
export interface TransactionView extends ViewOf<typeof shown> {
  /** The e-mail address comes from the directory. */
  readonly userEmail: string | null
  /** The transaction has been at its step for longer than 99 of 100 similar ones, see `isStuck`. */
  readonly stuck: boolean
}

/** Each transaction is shown as this role may see it. */
export async function toTransactionViews(
  role: StaffRole,
  rows: readonly TransactionRow[],
): Promise<TransactionView[]> {
  const [emails, isStuck] = await Promise.all([emailsOf(rows.map((row) => row.user_uuid)), readStuckCheck()])
  return rows.map((row) =>
    showRecord(role, 'transaction', {
      ...toView(shown, row),
      userEmail: emails.get(row.user_uuid ?? '') ?? null,
      stuck: isStuck(row),
    }),
  )
}

export interface TransactionPage {
  readonly rows: readonly TransactionView[]
  /** `next` is the `cursor` of the next page; null on the last one. */
  readonly next: string | null
  readonly total: Total
  /**
   * A page that scanned its maximum without finding enough stopped at this time or amount. Null when it found
   * enough, or scanned everything.
   */
  readonly scannedTo: string | null
  /** When nothing matches, each entry names a filter and the number of matches without it. */
  readonly withoutFilter: readonly WithoutFilter[]
}

export interface WithoutFilter {
  readonly part: FilterPart
  readonly total: Total
}

export interface TransactionFilters extends TransactionMatch {
  /** `started` is the default. */
  readonly sort?: TransactionSort | undefined
  /** The cursor is the `next` of a page in the same order. */
  readonly cursor?: string | undefined
  /** The limit is 1 to 200, by default 50. */
  readonly limit?: number | undefined
}

/** A file has these columns, filled as the caller's role may see them. */
export const transactionColumns: readonly FileColumn<TransactionView>[] = [
  ['transactionUuid', ({ uuid }) => uuid],
  ['direction', ({ direction }) => direction],
  ['subType', ({ step }) => step],
  ['status', ({ reason }) => reason],
  ['amountFiat', ({ amountFiat }) => amountFiat],
  ['currencyFiat', ({ currencyFiat }) => currencyFiat],
  ['amountCrypto', ({ amountCrypto }) => amountCrypto],
  ['currencyCrypto', ({ currencyCrypto }) => currencyCrypto],
  ['amountRefunded', ({ amountRefunded }) => amountRefunded],
  ['chain', ({ chain }) => chain],
  ['transactionHash', ({ transactionHash }) => transactionHash],
  ['userUuid', ({ userUuid }) => userUuid],
  ['startedAt', ({ startedAt }) => startedAt],
  ['lastMoveAt', ({ lastMoveAt }) => lastMoveAt],
  ['finishedAt', ({ finishedAt }) => finishedAt],
  ['flags', ({ flags }) => flags],
  ['stuck', ({ stuck }) => stuck],
  ['receipt', (row) => paymentCells(row).receipt],
  ['payout', (row) => paymentCells(row).payout],
]
