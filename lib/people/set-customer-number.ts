import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { changedMeanwhile, nothingToChange } from '#lib/access/refused-changes.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { saveCustomerNumber } from '#lib/identity/users/save-to-directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { uuidField } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { CustomerNumberSchema } from './customer-number.ts'

export const SetCustomerNumberSchema = z.object({
  userUuid: uuidField('This is not a uuid.'),
  customerNumber: CustomerNumberSchema,
  /** The number that a page had shown, empty for none. */
  seen: z.string().optional(),
})

/**
 * Gives a person the merchant's own number, or takes it away. Throws `NotAllowed`, and `Refused` where the directory does not
 * know the person or somebody else has changed the number meanwhile.
 */
export async function setCustomerNumber(
  caller: Caller,
  { userUuid, customerNumber, seen }: z.output<typeof SetCustomerNumberSchema>,
  source: CallSource,
): Promise<{ readonly customerNumber: string | null }> {
  requirePermission(caller, 'work-on-cases')
  await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ present: string }>(HOLD, [userUuid])
    const wanted = customerNumber ?? ''
    const [found] = rows
    if (found?.present === wanted) {
      if (seen === undefined || seen === wanted) throw new Refused(nothingToChange)
      return
    }
    if (found && seen !== undefined && found.present !== seen) throw new Refused(changedMeanwhile)
    const saved = await saveCustomerNumber(tx, userUuid, customerNumber)
    if (!saved) throw new Refused(unknown)
    // Not the number itself: nothing is taken out of the audit when the person is erased.
    const details = { number: customerNumber === null ? 'removed' : 'given' }
    const entry = {
      actor: caller,
      action: 'user.customer-number',
      target: userUuid,
      outcome: 'done',
      details,
    } as const
    await recordAudit(tx, entry, source)
  })
  return { customerNumber }
}

const HOLD = `SELECT COALESCE(customer_number, '') AS present FROM person WHERE user_uuid = $1 FOR UPDATE`

const unknown = {
  title: 'The directory does not know this person.',
  next: 'Nothing was changed. Reload the page; if it stays so, import the person by uuid.',
}
