import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { fileText } from '#lib/platform/rules/csv.ts'
import { transactionColumns } from '#lib/transactions/transaction-view.ts'
import { findGap } from './gaps.ts'
import { everyOpenTransaction } from './read-open-transactions.ts'

export const ExportGapSchema = z.object({
  gapId: uuidField('This is not the id of a gap.'),
  reason: ReasonSchema,
})

/**
 * The session may fetch the transactions that were open in a gap, with their owners and amounts, for one minute.
 * Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function allowGapExport(
  caller: Caller,
  { gapId, reason }: z.output<typeof ExportGapSchema>,
  source: CallSource,
): Promise<{ readonly ticket: string }> {
  requirePermission(caller, 'work-on-cases')
  requireFreshSignIn(caller)
  if (!(await findGap(caller, gapId))) throw new Refused('gap-unknown')
  const entry = { action: 'gap.export', target: gapId } as const
  const what = 'transactions affected by missed deliveries'
  return { ticket: await giveTicket(caller, { file: fileOf(gapId), what, entry, reason }, source) }
}

/**
 * The CSV has the transactions that were open in a gap, in portions. The session must have been allowed to fetch
 * them; null when there is no such gap. Throws `NotAllowed`.
 */
export async function exportGap(
  caller: Caller,
  id: string,
  ticket: string,
): Promise<AsyncGenerator<string> | null> {
  requirePermission(caller, 'work-on-cases')
  requireTicket(caller, fileOf(id), ticket)
  const gap = await findGap(caller, id)
  return gap && fileText('csv', everyOpenTransaction(caller.role, gap), transactionColumns)
}

const fileOf = (gapId: string) => `gap ${gapId}`
