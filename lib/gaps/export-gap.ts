import 'server-only'
import { csvLine } from '#lib/domain/text/csv.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import type { TransactionView } from '#lib/transactions/transaction-view.ts'
import { findGap } from './get-gap.ts'
import { everyOpenTransaction } from './read-open-transactions.ts'

/** Each column: its name, and the transaction's field, as the caller's role may see it. */
const columns = {
  transactionUuid: 'uuid',
  direction: 'direction',
  subType: 'step',
  status: 'reason',
  amountFiat: 'amountFiat',
  currencyFiat: 'currencyFiat',
  amountCrypto: 'amountCrypto',
  currencyCrypto: 'currencyCrypto',
  chain: 'chain',
  transactionHash: 'transactionHash',
  userUuid: 'userUuid',
  startedAt: 'startedAt',
  lastMoveAt: 'lastMoveAt',
  finishedAt: 'finishedAt',
} as const satisfies Record<string, keyof TransactionView>

/** The transactions that were open in a gap as CSV, in portions; null when there is no such gap. Throws `NotAllowed`. */
export async function exportGap(caller: Caller, id: string): Promise<AsyncGenerator<string> | null> {
  requirePermission(caller, 'work-on-cases')
  const gap = await findGap(caller, id)
  return gap && lines(caller, gap)
}

async function* lines({ role }: Caller, gap: { readonly beganAt: string; readonly endedAt: string | null }) {
  yield csvLine(Object.keys(columns))
  for await (const rows of everyOpenTransaction(role, gap)) {
    yield rows.map((row) => csvLine(Object.values(columns).map((field) => row[field]))).join('')
  }
}
