import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { revealableFields, showRecord } from '#lib/access/rules/show-record.ts'
import { countReading } from '#lib/audit/count-reading.ts'
import { subjectId } from '#lib/deliveries/rules/subject.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { textParameter } from '#lib/platform/db/text-parameter.ts'
import { nothingToSee, visibleText } from '#lib/platform/rules/visible-text.ts'
import { readDetails } from '#lib/timeline/read-details.ts'
import type { TransactionRow } from '#lib/timeline/tables/transaction.ts'
import {
  type TransactionParties,
  toParties,
  toShownDuration,
} from '#lib/timeline/tables/transaction-details.ts'
import type { TransactionDetailsView } from './transaction-details-view.ts'
import { toTransactionViews } from './transaction-view.ts'

/**
 * One transaction with its timeline, as the caller's role may see it; null when there is none. That it was read is counted
 * in the audit. Throws `NotAllowed`.
 */
export async function getTransaction(caller: Caller, uuid: string): Promise<TransactionDetailsView | null> {
  requirePermission(caller, 'see-everything')
  const id = subjectId({ kind: 'transaction', id: textParameter(uuid).trim().toLowerCase() })
  const { rows } = await pool().query<TransactionRow>('SELECT * FROM transaction WHERE subject_id = $1', [id])
  const [found] = rows
  const [view] = await toTransactionViews(caller.role, rows)
  if (!found || !view) return null
  await countReading(caller, 'read.transaction', view.uuid, found.user_uuid)
  const more = {
    parties: withVisibleNames(toParties(found.details)),
    lastReceivedAt: found.details.lastReceivedAt ?? view.lastMoveAt,
    durationSeconds: toShownDuration(found.details, found.finished_at),
  }
  return {
    ...view,
    ...showRecord(caller.role, 'transaction', more),
    revealable: revealableFields(caller.role, 'transaction', more),
    events: await readDetails(caller.role, id),
  }
}

/** Names as others wrote them turn nothing beside them. */
const withVisibleNames = ({ sender, beneficiary, ...parties }: TransactionParties): TransactionParties => ({
  ...parties,
  sender: sender && { ...sender, name: shownName(sender.name) },
  beneficiary: beneficiary && {
    ...beneficiary,
    name: shownName(beneficiary.name),
    bankName: shownName(beneficiary.bankName),
  },
})

const shownName = (name: string | null) => name && (visibleText(name) ?? nothingToSee)
