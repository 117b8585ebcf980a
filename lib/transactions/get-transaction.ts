import 'server-only'
import type { Caller } from '#lib/auth/caller.ts'
import { pool } from '#lib/db/pool.ts'
import { textParameter } from '#lib/db/text-parameter.ts'
import { subjectId } from '#lib/domain/subject.ts'
import type { Beneficiary, Sender } from '#lib/domain/transaction.ts'
import { readDetails } from '#lib/events/read-details.ts'
import { visibleTo } from '#lib/events/visible-to.ts'
import type { TransactionDetailsView, TransactionParties } from './transaction-details-view.ts'
import { type TransactionRow, toTransactionViews } from './transaction-row.ts'

/** One transaction with its timeline; null when there is none, or none that the caller may see. Throws `NotAllowed`. */
export async function getTransaction(caller: Caller, uuid: string): Promise<TransactionDetailsView | null> {
  const id = subjectId({ kind: 'transaction', id: textParameter(uuid).trim().toLowerCase() })
  const { rows } = await pool().query<TransactionRow>(
    'SELECT * FROM transaction WHERE subject_id = $1 AND ($2::text IS NULL OR user_uuid = $2)',
    [id, visibleTo(caller)],
  )
  const [record] = rows
  const [row] = await toTransactionViews(rows)
  if (!record || !row) return null
  const { lastReceivedAt, durationSeconds } = record.details
  return {
    ...row,
    parties: partiesOf(record.details),
    lastReceivedAt: lastReceivedAt ?? row.lastMoveAt,
    durationSeconds: durationSeconds ?? null,
    events: await readDetails(id),
  }
}

const partiesOf = ({ sender, beneficiary, ...known }: TransactionRow['details']): TransactionParties => ({
  walletAddress: known.walletAddress ?? null,
  sendingAddress: known.sendingAddress ?? null,
  sender: sender ? { ...noSender, ...sender } : null,
  beneficiary: beneficiary ? { ...noBeneficiary, ...beneficiary } : null,
  internalBankAccountId: known.internalBankAccountId ?? null,
  linkedBankAccountUuid: known.linkedBankAccountUuid ?? null,
  remoteBankAccountUuid: known.remoteBankAccountUuid ?? null,
})

const noSender: Sender = { name: null, country: null, iban: null, currency: null }
const noBeneficiary: Beneficiary = {
  name: null,
  accountNumber: null,
  bankCode: null,
  bankName: null,
  currency: null,
}
