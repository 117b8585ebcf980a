import { ReadTransactionsSchema, readTransactions } from '#lib/transactions/read-transactions.ts'
import { answerJsonPost } from '../../answer-json.ts'

/** Transactions that a list shows, as they are now. */
export const POST = (request: Request) => answerJsonPost(request, ReadTransactionsSchema, readTransactions)
