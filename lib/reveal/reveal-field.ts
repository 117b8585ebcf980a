import 'server-only'
import { z } from 'zod'
import { fieldOf, revealableFields } from '#lib/domain/access/show-record.ts'
import { ReasonSchema } from '#lib/forms/reason.ts'
import { uuidField } from '#lib/forms/uuid-field.ts'
import type { Caller } from '#lib/request/caller.ts'
import { NotAllowed } from '#lib/request/refusals.ts'
import type { CallSource } from '#lib/request/request-context.ts'
import { readTransactionRecord } from './read-transaction-record.ts'
import { recordReveal } from './record-reveal.ts'
import { requireReveal } from './require-reveal.ts'

export const RevealFieldSchema = z.object({
  transaction: uuidField('This names no transaction.'),
  field: z.string().max(100),
  reason: ReasonSchema,
})

/**
 * Shows one masked field of a transaction whole. Throws `NotAllowed`, also for a field that the caller's role may not have
 * shown, and `SignInAgain`, `TooMany`, `InvalidInput`.
 */
export async function revealField(
  caller: Caller,
  { transaction, field, reason: given }: z.output<typeof RevealFieldSchema>,
  source: CallSource,
): Promise<{ readonly value: string }> {
  const reason = await requireReveal(caller, given)
  const record = await readTransactionRecord(transaction)
  const value = record && fieldOf(record, field)
  if (!record || typeof value !== 'string') throw new NotAllowed()
  if (!revealableFields(caller.role, 'transaction', record).includes(field)) throw new NotAllowed()
  const details = { field, person: record.userUuid }
  await recordReveal(caller, { action: 'read.field', target: transaction, reason, details }, source)
  return { value }
}
