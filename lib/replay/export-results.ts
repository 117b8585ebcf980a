import 'server-only'
import { csvLine } from '#lib/domain/text/csv.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { listResults, type ResultView } from './list-results.ts'

/** The results of a replay as CSV (RFC 4180), page by page, so that none is held as a whole. Throws `NotAllowed`. */
export function exportResults(caller: Caller, replayId: string): AsyncGenerator<string> {
  requirePermission(caller, 'replay-deliveries')
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
