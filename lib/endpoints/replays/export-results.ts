import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { giveTicket, requireTicket } from '#lib/audit/export-ticket.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { type FileColumn, fileText } from '#lib/platform/rules/csv.ts'
import { findReplay } from './find-replay.ts'
import { listResults, type ResultView } from './list-results.ts'
import type { ExportResultsSchema } from './replay-forms.ts'

/**
 * Allows this session to fetch the results of a replay, for a minute: what was said of which transaction, checks among it.
 * Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function allowResultsExport(
  caller: Caller,
  { replayId, reason }: z.output<typeof ExportResultsSchema>,
  source: CallSource,
): Promise<{ readonly ticket: string }> {
  requirePermission(caller, 'replay-deliveries')
  requireFreshSignIn(caller)
  if (!(await findReplay(caller, replayId))) throw new Refused(gone)
  const entry = { action: 'replay.export', target: replayId } as const
  const what = 'the results of a replay'
  return { ticket: await giveTicket(caller, { file: fileOf(replayId), what, entry, reason }, source) }
}

const gone = { title: 'There is no such replay.', next: 'Nothing was exported. Reload the page.' }

const fileOf = (replayId: string) => `replay ${replayId}`

/**
 * The results of a replay as CSV (RFC 4180), page by page, so that none is held as a whole, for a session that was just allowed
 * to fetch them. Null for an unknown replay. Throws `NotAllowed`.
 */
export async function exportResults(
  caller: Caller,
  replayId: string,
  ticket: string,
): Promise<AsyncGenerator<string> | null> {
  requirePermission(caller, 'replay-deliveries')
  requireTicket(caller, fileOf(replayId), ticket)
  return (await findReplay(caller, replayId)) && fileText('csv', everyResult(caller, replayId), columns)
}

async function* everyResult(caller: Caller, replayId: string): AsyncGenerator<readonly ResultView[]> {
  let after: string | null = '0'
  while (after !== null) {
    const { rows, next } = await listResults(caller, replayId, { after, limit: 1_000 })
    yield rows
    after = next
  }
}

const names = [
  'order',
  'deliveryId',
  'receivedAt',
  'type',
  'subType',
  'transactionUuid',
  'sentAt',
  'status',
  'ms',
  'error',
] as const satisfies readonly (keyof ResultView)[]

const columns = names.map((name): FileColumn<ResultView> => [name, (row) => row[name]])
