import { z } from 'zod'
import { filterFields, matchOf } from '#lib/transactions/filters.ts'
import { listTransactions } from '#lib/transactions/list-transactions.ts'
import { transactionSorts } from '#lib/transactions/rules/transaction-filters.ts'
import { answerJson } from '../answer-caller.ts'

const QuerySchema = z
  .object({
    ...filterFields,
    sort: z.enum(transactionSorts).optional(),
    cursor: z.string().max(2_000).optional(),
    limit: z.coerce.number().int().min(1).max(200).optional(),
  })
  .transform(({ sort, cursor, limit, ...texts }, { issues }) => ({
    ...matchOf(texts, issues),
    sort,
    cursor,
    limit,
  }))

export const GET = (request: Request) => answerJson(request, QuerySchema, listTransactions)
