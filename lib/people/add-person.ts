import 'server-only'
import type { z } from 'zod'
import { type Caller, type CallSource, requirePermission } from '#lib/access/caller.ts'
import { recordAudit, recordAuditAlone } from '#lib/audit/record-audit.ts'
import { listCountries } from '#lib/identity/sign-in/list-countries.ts'
import { saveToDirectory } from '#lib/identity/users/save-to-directory.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { InvalidInput } from '#lib/platform/refusals.ts'
import { refuseWithServiceMessage } from '#lib/service/error-messages.ts'
import { ServiceError } from '#lib/service/errors.ts'
import { serviceClient } from '#lib/service/service-client.ts'
import { createUser } from '#lib/service/users.ts'
import type { NewPersonSchema } from './new-person.ts'

/** Creates a user at the service (§4.3) and enters them into the directory. Throws `NotAllowed`, `Refused`, `Invalid`. */
export async function addPerson(
  caller: Caller,
  form: z.output<typeof NewPersonSchema>,
  source: CallSource,
): Promise<{ readonly userUuid: string }> {
  requirePermission(caller, 'manage-people')
  const countries = await listCountries()
  if (!countries.some(({ code }) => code === form.country))
    throw new InvalidInput({ country: 'The service does not support this country.' })
  const made = await createUser(serviceClient(), form).catch(async (error: unknown) => {
    if (!(error instanceof ServiceError)) throw error
    const outcome = error.mayHaveTakenEffect ? 'unsure' : 'refused'
    await recordAuditAlone(
      { actor: caller, action: 'user.add', outcome, details: { why: error.code } },
      source,
    )
    if (error.code === 'conflict') throw new InvalidInput({ email: taken })
    return refuseWithServiceMessage('create-user')(error)
  })
  const userUuid = made.userUuid.toLowerCase()
  const user = { ...form, userUuid, status: made.status, targetAddress: null }
  await inTransaction(pool(), async (tx) => {
    await saveToDirectory(tx, user, 'added', form.customerNumber ?? null)
    await recordAudit(tx, { actor: caller, action: 'user.add', target: userUuid, outcome: 'done' }, source)
  })
  return { userUuid }
}

const taken = 'The service has somebody with this e-mail address already.'
