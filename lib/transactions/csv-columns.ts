import 'server-only'
import type { TransactionView } from './transaction-view.ts'

/** Each column of a transaction in a CSV file, and its field, as the caller's role may see it. */
export const csvColumns = {
  transactionUuid: 'uuid',
  direction: 'direction',
  subType: 'step',
  status: 'reason',
  amountFiat: 'amountFiat',
  currencyFiat: 'currencyFiat',
  amountCrypto: 'amountCrypto',
  currencyCrypto: 'currencyCrypto',
  amountRefunded: 'amountRefunded',
  chain: 'chain',
  transactionHash: 'transactionHash',
  userUuid: 'userUuid',
  startedAt: 'startedAt',
  lastMoveAt: 'lastMoveAt',
  finishedAt: 'finishedAt',
  flags: 'flags',
  stuck: 'stuck',
} as const satisfies Record<string, keyof TransactionView>

/** One cell of a file: the flags, which are in doubt or contradict each other, as words with spaces between them. */
export function csvCell(row: TransactionView, field: (typeof csvColumns)[keyof typeof csvColumns]) {
  const cell = row[field]
  if (typeof cell === 'boolean') return String(cell)
  return typeof cell === 'object' && cell !== null ? cell.join(' ') : cell
}
