import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type FileColumn, fileText } from '#lib/platform/rules/csv.ts'
import { transactionColumns } from '#lib/transactions/transaction-view.ts'
import { type FoundLine, search } from './search.ts'
import { readLink } from './search-link.ts'

export const ExportLinesSchema = z.object({
  link: uuidField('This is not the link of a search.'),
  reason: ReasonSchema,
})

/**
 * This session may fetch the answers to the lines of a search for one minute. Throws `NotAllowed`,
 * `SignInAgain` and `Refused`.
 */
export async function allowLinesExport(
  caller: Caller,
  { link, reason }: z.output<typeof ExportLinesSchema>,
  source: CallSource,
): Promise<{ readonly ticket: string }> {
  requirePermission(caller, 'work-on-cases')
  requireFreshSignIn(caller)
  const known = await readLink('subjects', link)
  if (known === null || known === 'erased') throw new Refused('lines-unknown')
  const entry = { action: 'search.export', target: link } as const
  const what = 'answers to many searches at once'
  return { ticket: await giveTicket(caller, { file: fileOf(link), what, entry, reason }, source) }
}

/**
 * The answers to the lines become CSV, for a session that was just allowed to fetch them; null when the link no
 * longer works.
 */
export async function exportLines(
  caller: Caller,
  link: string,
  ticket: string,
): Promise<AsyncGenerator<string> | null> {
  requirePermission(caller, 'work-on-cases')
  requireTicket(caller, fileOf(link), ticket)
  const found = await search(caller, { link })
  return found === null || found === 'erased' || !found.lines ? null : fileText('csv', [found.lines], columns)
}

const fileOf = (link: string) => `search ${link}`

const transactionOf = ({ subject }: FoundLine) => (subject && !('latest' in subject) ? subject : null)

const columns: readonly FileColumn<FoundLine>[] = [
  ['line', ({ text }) => text],
  ['answer', ({ answer }) => answer],
  ['matches', ({ count }) => count ?? 'more than 1'],
  ['subject', ({ subject }) => subject?.subjectId ?? null],
  ['personUuid', ({ person }) => person?.userUuid ?? null],
  ...transactionColumns.map(
    ([name, read]): FileColumn<FoundLine> => [
      name,
      (line) => {
        const transaction = transactionOf(line)
        return transaction && read(transaction)
      },
    ],
  ),
]
