import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit, recordAuditAlone } from '#lib/audit/record-audit.ts'
import { EndSessionsSchema, endSessionsAsAdmin } from '#lib/identity/sessions/person-sessions.ts'
import { listCountries } from '#lib/identity/sign-in/sign-up.ts'
import { saveCustomerNumber, saveToDirectory } from '#lib/identity/users/directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { EmailAddressSchema, PersonNameSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { noting } from '#lib/platform/log/limited.ts'
import { logOf } from '#lib/platform/log.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { plainText } from '#lib/platform/rules/pasted-text.ts'
import { refuseWithServiceMessage, ServiceError, surelyNotDone } from '#lib/service/errors.ts'
import { createUser } from '#lib/service/operations.ts'
import { serviceClient } from '#lib/service/service-client.ts'

/** The service creates a user (§4.3), who is added to the directory. Throws `NotAllowed`, `Refused` and `Invalid`. */
export async function addPerson(
  caller: Caller,
  form: z.output<typeof NewPersonSchema>,
  source: CallSource,
): Promise<{ readonly userUuid: string }> {
  requirePermission(caller, 'manage-people')
  const countries = await listCountries()
  if (!countries.some(({ code }) => code === form.country))
    throw new InvalidInput({ country: 'The provider does not support this country.' })
  const entry = { actor: caller, action: 'user.add' } as const
  await recordAuditAlone({ ...entry, outcome: 'begun' }, source)
  const made = await createUser(serviceClient(), form).catch(async (error: unknown) => {
    const outcome = surelyNotDone(error) ? 'refused' : 'unsure'
    const details = error instanceof ServiceError ? { details: { why: error.code } } : {}
    await recordAuditAlone({ ...entry, outcome, ...details }, source)
    if (error instanceof ServiceError && error.code === 'conflict') throw new InvalidInput({ email: taken })
    return refuseWithServiceMessage('create-user')(error)
  })
  const userUuid = made.userUuid.toLowerCase()
  const user = { ...form, userUuid, status: made.status, targetAddress: null }
  await inTransaction(pool(), async (tx) => {
    await saveToDirectory(tx, user, 'added', form.customerNumber ?? null)
    await recordAudit(tx, { ...entry, target: userUuid, outcome: 'done' }, source)
  }).catch(async (error: unknown) => {
    await recordAuditAlone({ ...entry, target: userUuid, outcome: 'unsure' }, source).catch(notKept)
    throw error
  })
  return { userUuid }
}

const notKept = noting(logOf('people'))('error', 'How adding a person ended was not kept in the audit')

const taken = 'The provider has somebody with this e-mail address already.'

/** The merchant calls a customer by this number: any text that can be printed on one line. Empty means none. */
export const CustomerNumberSchema = z
  .string()
  .transform(plainText)
  .pipe(
    z
      .string()
      .trim()
      .max(100, 'At most 100 characters.')
      .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'Only letters and signs that can be printed.'),
  )
  .transform((text) => text || null)

/**
 * A member of the team can make this person a user of the service, without a wallet, because only its owner can
 * prove it.
 */
export const NewPersonSchema = z.object({
  email: EmailAddressSchema,
  firstName: PersonNameSchema,
  lastName: PersonNameSchema,
  country: z.string('Choose a country.').regex(/^[A-Z]{2}$/, 'Choose a country.'),
  customerNumber: CustomerNumberSchema.optional(),
})

export const SetCustomerNumberSchema = z.object({
  userUuid: uuidField('This is not a uuid.'),
  customerNumber: CustomerNumberSchema,
  /** The page showed this number; empty for none. */
  seen: z.string().optional(),
})

/**
 * A person gets the merchant's own number, or loses it. Throws `NotAllowed`, and `Refused` when the directory does
 * not know the person or somebody else changed the number meanwhile.
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
      if (seen === undefined || seen === wanted) throw new Refused('nothing-to-change')
      return
    }
    if (found && seen !== undefined && found.present !== seen) throw new Refused('changed-meanwhile')
    const saved = await saveCustomerNumber(tx, userUuid, customerNumber)
    if (!saved) throw new Refused('person-unknown')
    // The audit does not hold the number itself, because an erasure removes nothing from these details.
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

export const EndPersonSessionsSchema = EndSessionsSchema.extend({
  userUuid: uuidField('This is not the uuid of a user.'),
})

/** One session of a user of the service ends, or all of them. Throws `NotAllowed` and `Refused`. */
export async function endPersonSessions(
  caller: Caller,
  { userUuid, ...which }: z.output<typeof EndPersonSessionsSchema>,
  source: CallSource,
): Promise<{ readonly ended: number }> {
  requirePermission(caller, 'manage-people')
  const owner = { userUuid: userUuid.toLowerCase(), memberId: null }
  return endSessionsAsAdmin(caller, async () => owner, which, source)
}
