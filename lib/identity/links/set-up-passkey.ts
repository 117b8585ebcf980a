import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { ActionContext } from '#lib/access/request-context.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { PersonNameSchema } from '#lib/platform/forms/person-name.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { beginRegistration, type RegistrationOptions } from '../passkeys/begin-registration.ts'
import { RegistrationAnswerSchema } from '../passkeys/passkey-answers.ts'
import { PasskeyNameSchema } from '../passkeys/passkey-name.ts'
import { insertPasskey, verifyRegistration } from '../passkeys/verify-registration.ts'
import { finishSetUp } from './finish-set-up.ts'
import { linkFaults } from './link-faults.ts'
import { nameYourself } from './name-yourself.ts'

export const BeginSetUpPasskeySchema = z.object({ name: PersonNameSchema })

/** Whoever opened a link says what the others call them, and begins to make a passkey. Throws `Refused`. */
export async function beginSetUpPasskey(
  settingUp: Caller,
  form: z.output<typeof BeginSetUpPasskeySchema>,
  { browserId }: ActionContext,
): Promise<RegistrationOptions> {
  const { memberId, email } = settingUp
  if (memberId === null) throw new Refused(linkFaults.withdrawn)
  const { name } = await nameYourself(settingUp, form)
  return beginRegistration({ memberId, name, label: email ?? name }, browserId)
}

export const SetUpPasskeySchema = z.object({
  answer: RegistrationAnswerSchema,
  passkeyName: PasskeyNameSchema,
})

/**
 * Keeps the passkey and makes its owner a member, both or neither. Throws `Refused`.
 * @returns the token of the new session
 */
export async function setUpPasskey(
  settingUp: Caller,
  { answer, passkeyName }: z.output<typeof SetUpPasskeySchema>,
  context: ActionContext,
): Promise<string> {
  const made = await verifyRegistration(answer, context.browserId)
  if (made.memberId !== settingUp.memberId) throw new Refused(linkFaults.withdrawn)
  return inTransaction(pool(), async (tx) => {
    const passkey = await insertPasskey(tx, made, passkeyName)
    const { joined, token } = await finishSetUp(tx, settingUp, 'passkey', context)
    // Whoever sets up has no role; the passkey is that of the member whom they have just become.
    const actor = { id: joined.memberId, role: joined.role }
    const entry = { actor, action: 'passkey.add', target: joined.memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { passkey } }, context)
    return token
  })
}
