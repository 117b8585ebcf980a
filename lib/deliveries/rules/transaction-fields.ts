import type { Decimal } from '#lib/platform/rules/decimal.ts'

/** A transaction takes these fields from `data` under the same name: the latest given amount, text or id of an account of each. §6.1, §6.2 */
export const transactionFields = {
  amountFiat: 'amount',
  amountCrypto: 'amount',
  amountRefunded: 'amount',
  /** The fees have no currency. */
  fees: 'amount',
  /** The limit comes with LIMIT_BREACHED. */
  limit: 'amount',
  currencyFiat: 'text',
  currencyCrypto: 'text',
  chain: 'text',
  transactionHash: 'text',
  /** The stablecoins go to this address. */
  walletAddress: 'text',
  internalBankAccountId: 'account',
  linkedBankAccountUuid: 'account',
  remoteBankAccountUuid: 'account',
} as const

/** These fields are amounts. */
export const amountNames: readonly string[] = Object.entries(transactionFields).flatMap(([name, kind]) =>
  kind === 'amount' ? [name] : [],
)

export type TransactionFields = {
  readonly [Name in keyof typeof transactionFields]:
    | ((typeof transactionFields)[Name] extends 'amount' ? Decimal : string)
    | null
}
