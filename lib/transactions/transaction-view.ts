import 'server-only'
import { showRecord } from '#lib/access/rules/records.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { emailsOf } from '#lib/identity/users/find-users.ts'
import type { Total } from '#lib/platform/paging/paging.ts'
import type { FileColumn } from '#lib/platform/rules/csv.ts'
import { toView, type ViewOf, without } from '#lib/timeline/tables/table.ts'
import { type TransactionRow, transactionTable } from '#lib/timeline/tables/transaction.ts'
import { paymentCells } from './labels/payment-labels.ts'
import type { FilterPart, TransactionMatch, TransactionSort } from './rules/transaction-filters.ts'
import { readStuckCheck } from './usual-stays.ts'

const shown = without(transactionTable, 'details', 'stepBeganAt')

/** One transaction as lists show it. Amounts are digits as written, times ISO 8601 (times of receipt). */
export interface TransactionView extends ViewOf<typeof shown> {
  /** From the directory. */
  readonly userEmail: string | null
  /** It has stood at its step for longer than 99 of 100 of its like did, see `isStuck`. */
  readonly stuck: boolean
}

/** Each as this role may see it. */
export async function toTransactionViews(
  role: Role,
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
  /** For `cursor`: the next page; null on the last one. */
  readonly next: string | null
  readonly total: Total
  /**
   * How far this page looked, where it went through as many as it may without finding enough: the time, or the amount, of the
   * last one that it looked at. Null where it has found enough, or has seen all.
   */
  readonly lookedTo: string | null
  /** Where nothing matches: how many do without one of the filters, for each without which some do. */
  readonly drops: readonly Drop[]
}

export interface Drop {
  readonly part: FilterPart
  readonly total: Total
}

export interface TransactionFilters extends TransactionMatch {
  /** `started` by default. */
  readonly sort?: TransactionSort | undefined
  /** `next` of a page in the same order. */
  readonly cursor?: string | undefined
  /** 1 to 200, 50 by default. */
  readonly limit?: number | undefined
}

/** Each column of a transaction in a file, as the caller's role may see it. */
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
