import { ReadTransactionsSchema, readTransactions } from '#lib/transactions/get-transaction.ts'
import { answerJsonPost } from '../../answer-caller.ts'

/** Transactions that a list shows, as they are now. */
export const POST = (request: Request) => answerJsonPost(request, ReadTransactionsSchema, readTransactions)
