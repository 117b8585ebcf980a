import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { fieldOf, revealableFields } from '#lib/access/rules/show-record.ts'
import { ReasonSchema } from '#lib/platform/forms/reason.ts'
import { uuidField } from '#lib/platform/forms/uuid-field.ts'
import { NotAllowed } from '#lib/platform/refusals.ts'
import { readRecord, revealedRecords } from './read-record.ts'
import { recordReveal } from './record-reveal.ts'
import { requireReveal } from './require-reveal.ts'

export const RevealFieldSchema = z.object({
  record: z.enum(revealedRecords),
  uuid: uuidField('This names nothing.'),
  field: z.string().max(100),
  reason: ReasonSchema,
})

/**
 * Shows one masked field of a transaction, or of a customer's own bank account, whole. Throws `NotAllowed`, also for a field that the caller's role may not have
 * shown, and `SignInAgain`, `TooMany`, `InvalidInput`.
 */
export async function revealField(
  caller: Caller,
  { record: name, uuid, field, reason: given }: z.output<typeof RevealFieldSchema>,
  source: CallSource,
): Promise<{ readonly value: string }> {
  const reason = await requireReveal(caller, given)
  const record = await readRecord(name, uuid)
  const value = record && fieldOf(record.fields, field)
  if (!record || typeof value !== 'string') throw new NotAllowed()
  if (!revealableFields(caller.role, name, record.fields).includes(field)) throw new NotAllowed()
  const details = { field, person: record.userUuid }
  await recordReveal(caller, { action: 'read.field', target: uuid, reason, details }, source)
  return { value }
}
