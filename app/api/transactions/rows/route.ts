import { ReadTransactionsSchema, readTransactions } from '#lib/transactions/get-transaction.ts'
import { answerJsonPost } from '../../answer-caller.ts'

/** The answer has the transactions of a list as they are now. */
export const POST = (request: Request) => answerJsonPost(request, ReadTransactionsSchema, readTransactions)
