import { z } from 'zod'
import { directions } from '#lib/domain/delivery/steps.ts'
import { transactionSorts } from '#lib/domain/transaction/transaction-sort.ts'
import { listTransactions } from '#lib/transactions/list-transactions.ts'
import { answerJson } from '../answer-json.ts'

const QuerySchema = z.object({
  direction: z.enum(directions).optional(),
  step: z.string().max(500).optional(),
  user: z.string().max(500).optional(),
  sort: z.enum(transactionSorts).optional(),
  cursor: z.string().max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
})

export const GET = (request: Request) =>
  answerJson(request, QuerySchema, (caller, { user, ...filters }) =>
    listTransactions(caller, { ...filters, userUuid: user }),
  )
