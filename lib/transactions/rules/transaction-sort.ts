/** The orders in which transactions are listed: newest start, latest move, or largest fiat amount first. */
export const transactionSorts = ['started', 'moved', 'amount'] as const
export type TransactionSort = (typeof transactionSorts)[number]
