import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { fieldOf, isSameText } from '#lib/access/rules/records.ts'
import { recordAuditAlone } from '#lib/audit/record-audit.ts'
import { normaliseIdentifier } from '#lib/deliveries/rules/identifier.ts'
import { PastedTextSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { requireWithinLimit } from '#lib/platform/limits/limits.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { readRecord } from './reveal.ts'

/** A customer may be asked for these fields. */
export const matchableFields = [
  'parties.sender.iban',
  'parties.sender.name',
  'parties.beneficiary.accountNumber',
  'parties.beneficiary.name',
] as const

const saidMissing = 'Type what the customer says: at least 2 characters.'

export const CheckMatchSchema = z.object({
  transaction: uuidField('This names no transaction.'),
  field: z.enum(matchableFields, 'Choose what to compare.'),
  said: z
    .string(saidMissing)
    .pipe(PastedTextSchema)
    .pipe(z.string().min(2, saidMissing).max(200, 'At most 200 characters.')),
})

/**
 * The answer to a guess about a field of a transaction is only yes or no. The audit holds each answer, not the
 * guess. A person has ten tries for a field, some more for all fields, and twenty a day for a value. Throws
 * `NotAllowed`, `TooMany`, `Refused`.
 */
export async function checkMatch(
  caller: Caller,
  { transaction, field, said }: z.output<typeof CheckMatchSchema>,
  source: CallSource,
): Promise<{ readonly matches: boolean }> {
  requirePermission(caller, 'work-on-cases')
  const record = await readRecord('transaction', transaction)
  const held = record && fieldOf(record.fields, field)
  if (!record || typeof held !== 'string') throw new Refused('nothing-to-compare')
  await requireWithinLimit('match-per-field', `${caller.id} ${transaction} ${field}`)
  await requireWithinLimit('match-per-person', caller.id)
  await requireWithinLimit('match-per-value-daily', `${caller.id} ${normaliseIdentifier(held)}`)
  const matches = isSameText(held, said)
  const details = { field, matches, person: record.userUuid }
  await recordAuditAlone(
    { actor: caller, action: 'read.match', target: transaction, outcome: 'done', details },
    source,
  )
  return { matches }
}
