import 'server-only'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import { csvLine } from '#lib/domain/text/csv.ts'
import type { Caller } from '#lib/request/caller.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { findReplay } from './find-replay.ts'
import { listResults, type ResultView } from './list-results.ts'

/**
 * The results of a replay as CSV (RFC 4180), page by page, so that none is held as a whole: ids of transactions, and nothing of
 * people. That they were exported is in the audit. Null for an unknown replay. Throws `NotAllowed`.
 */
export async function exportResults(
  caller: Caller,
  replayId: string,
  source: CallSource,
): Promise<AsyncGenerator<string> | null> {
  if (!(await findReplay(caller, replayId))) return null
  await recordAuditAlone(
    { actor: caller, action: 'replay.export', target: replayId, outcome: 'done' },
    source,
  )
  return lines(caller, replayId)
}

async function* lines(caller: Caller, replayId: string): AsyncGenerator<string> {
  yield csvLine(columns)
  let after: string | null = '0'
  while (after !== null) {
    const { rows, next } = await listResults(caller, replayId, { after, limit: 1_000 })
    yield rows.map((row) => csvLine(columns.map((column) => row[column]))).join('')
    after = next
  }
}

const columns = [
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
