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
} as const satisfies Record<string, keyof TransactionView>
