import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { type AllowedList, giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { ReasonSchema } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type Format, fileText, formats } from '#lib/platform/rules/csv.ts'
import { filterFields, filtersIn, matchOf } from '#lib/transactions/filters.ts'
import { countTransactions, everyTransaction } from '#lib/transactions/list-transactions.ts'
import { readFilters } from '#lib/transactions/rules/read-filters.ts'
import type { FilterTexts, TransactionMatch } from '#lib/transactions/rules/transaction-filters.ts'
import { transactionColumns } from '#lib/transactions/transaction-view.ts'
import { findSubjects } from './find-subjects.ts'
import { filterFileName } from './labels/filter-labels.ts'
import { readLink } from './search-link.ts'

const fields = { ...filterFields, link: z.uuid().optional(), format: z.enum(formats) }

/** The filters are kept as they were sent: "the last 24 hours" ends when the file is fetched. */
const toExport = (
  { link, format, ...sent }: FilterTexts & { link?: string | undefined; format: Format },
  issues: z.core.$ZodRawIssue[],
) => {
  matchOf(sent, issues)
  return { texts: filtersIn(sent), link: link ?? null, format }
}

/** The list shows the results of a search, or all transactions, by the filters. */
export const TransactionsExportSchema = z
  .object(fields)
  .transform((sent, { issues }) => toExport(sent, issues))

export type TransactionsExport = z.output<typeof TransactionsExportSchema>

export const AllowTransactionsExportSchema = z
  .object({ ...fields, reason: ReasonSchema })
  .transform(({ reason, ...sent }, { issues }) => ({ asked: toExport(sent, issues), reason }))

/** This session may fetch the transactions of a list for one minute. Throws `NotAllowed`, `SignInAgain` and `Refused`. */
export async function allowTransactionsExport(
  caller: Caller,
  { asked, reason }: z.output<typeof AllowTransactionsExportSchema>,
  source: CallSource,
): Promise<AllowedList> {
  requirePermission(caller, 'work-on-cases')
  requireFreshSignIn(caller)
  const { texts, link, format } = asked
  if (link !== null) await requireLink(link)
  const { match } = readFilters(texts, Date.now())
  const { user: _, ...others } = texts
  const asFacts = { ...others, person: match.userUuid, search: link ?? undefined, format }
  const details = Object.fromEntries(
    Object.entries(asFacts).flatMap(([name, said]) => (said ? [[name, said]] : [])),
  )
  const entry = { action: 'transactions.export', details } as const
  const what = 'transactions of a list'
  const ticket = await giveTicket(caller, { file: fileOf(asked), what, entry, reason }, source)
  return { ticket, format, total: link === null ? await countTransactions(caller, match) : null }
}

/**
 * The transactions come in portions, newest first, as CSV or as lines of JSON, for a session that was just
 * allowed to fetch them. Reading stops when nobody fetches any more. Throws `NotAllowed` and `Refused`.
 */
export async function exportTransactions(
  caller: Caller,
  asked: TransactionsExport,
  ticket: string,
): Promise<AsyncGenerator<string>> {
  requirePermission(caller, 'work-on-cases')
  requireTicket(caller, fileOf(asked), ticket)
  const { match } = readFilters(asked.texts, Date.now())
  const text = asked.link === null ? null : await requireLink(asked.link)
  const pages = text === null ? everyTransaction(caller, match, rowsOfPage) : everyFound(caller, text, match)
  return fileText(asked.format, pages, transactionColumns)
}

/** The name of the file says what it contains and when it was made. */
export const transactionsFileName = ({ texts, link, format }: TransactionsExport, now: number): string =>
  `${filterFileName(texts, link !== null, now)}.${format}`

const rowsOfPage = 1_000

async function requireLink(link: string): Promise<string> {
  const known = await readLink('subjects', link)
  if (known === null || known === 'erased') throw new Refused('search-unknown')
  return known.text
}

const fileOf = (asked: TransactionsExport) => `transactions ${JSON.stringify(asked)}`

async function* everyFound(caller: Caller, text: string, match: TransactionMatch) {
  let cursor: string | undefined
  do {
    const found = await findSubjects(caller, text, { ...match, cursor, limit: 200 })
    yield [...found.named, ...found.rows].flatMap((subject) => ('latest' in subject ? [] : [subject]))
    if (found.cut && found.next === null) throw new Refused('search-cut-off')
    cursor = found.next ?? undefined
  } while (cursor !== undefined)
}
