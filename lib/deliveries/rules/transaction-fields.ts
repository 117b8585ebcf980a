import type { Decimal } from '#lib/platform/rules/decimal.ts'

/** What a transaction takes from `data` under the same name: the latest amount or text given of each. §6.1, §6.2 */
export const transactionFields = {
  amountFiat: 'amount',
  amountCrypto: 'amount',
  amountRefunded: 'amount',
  /** Carries no currency. */
  fees: 'amount',
  /** Given with LIMIT_BREACHED. */
  limit: 'amount',
  currencyFiat: 'text',
  currencyCrypto: 'text',
  chain: 'text',
  transactionHash: 'text',
  /** Where the stablecoin goes. */
  walletAddress: 'text',
  internalBankAccountId: 'text',
  linkedBankAccountUuid: 'text',
  remoteBankAccountUuid: 'text',
} as const

/** Those that are amounts. */
export const amountNames: readonly string[] = Object.entries(transactionFields).flatMap(([name, kind]) =>
  kind === 'amount' ? [name] : [],
)

export type TransactionFields = {
  readonly [Name in keyof typeof transactionFields]:
    | ((typeof transactionFields)[Name] extends 'amount' ? Decimal : string)
    | null
}
