import 'server-only'
import type { FileColumn } from '#lib/platform/rules/file-text.ts'
import { paymentCells } from './labels/payment-labels.ts'
import type { TransactionView } from './transaction-view.ts'

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
