import 'server-only'
import { countReading } from '#lib/audit/count-reading.ts'
import { pool } from '#lib/db/pool.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { revealableFields, showRecord } from '#lib/domain/access/show-record.ts'
import { subjectId } from '#lib/domain/delivery/subject.ts'
import { nothingToSee, visibleText } from '#lib/domain/text/visible-text.ts'
import { readDetails } from '#lib/events/read-details.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import type { TransactionRow } from '#lib/tables/transaction.ts'
import { type TransactionParties, toParties, toShownDuration } from '#lib/tables/transaction-details.ts'
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
