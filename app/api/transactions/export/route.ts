import {
  exportTransactions,
  TransactionsExportSchema,
  transactionsFileName,
} from '#lib/search/export-transactions.ts'
import { json } from '../../answer-caller.ts'
import { answerFile, ticketOf, typeOfFormat } from '../../answer-file.ts'

/** The file has the transactions of a list, as CSV or lines of JSON. */
export async function GET(request: Request): Promise<Response> {
  const asked = TransactionsExportSchema.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!asked.success) return json({ error: 'These are no filters of a list' }, 400)
  const name = transactionsFileName(asked.data, Date.now())
  return answerFile(request, name, typeOfFormat[asked.data.format], (caller) =>
    exportTransactions(caller, asked.data, ticketOf(request)),
  )
}
