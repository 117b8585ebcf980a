import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import type { ActionContext } from '#lib/access/request-context.ts'
import { requireFreshSignIn } from '#lib/access/require-fresh-sign-in.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { beginRegistration, type RegistrationOptions } from './begin-registration.ts'
import { RegistrationAnswerSchema } from './passkey-answers.ts'
import { PasskeyNameSchema } from './passkey-name.ts'
import { insertPasskey, verifyRegistration } from './verify-registration.ts'

export const AddPasskeySchema = z.object({
  answer: RegistrationAnswerSchema,
  passkeyName: PasskeyNameSchema,
})

/** Begins to add a passkey for the caller. Throws `NotAllowed`, `SignInAgain` and `Refused`. */
export async function beginOwnPasskey(
  caller: Caller,
  _form: object,
  { browserId }: ActionContext,
): Promise<RegistrationOptions> {
  const memberId = requireMember(caller)
  requireFreshSignIn(caller)
  const name = caller.name ?? caller.email ?? 'Member'
  return beginRegistration({ memberId, name, label: caller.email ?? name }, browserId)
}

/** Adds it: another way in for the caller. Throws `SignInAgain` and `Refused`. */
export async function addOwnPasskey(
  caller: Caller,
  { answer, passkeyName }: z.output<typeof AddPasskeySchema>,
  context: ActionContext,
): Promise<{ readonly passkeyId: string }> {
  const memberId = requireMember(caller)
  requireFreshSignIn(caller)
  const made = await verifyRegistration(answer, context.browserId)
  if (made.memberId !== memberId) throw new Refused(forAnother)
  return inTransaction(pool(), async (tx) => {
    const passkeyId = await insertPasskey(tx, made, passkeyName)
    const entry = { actor: caller, action: 'passkey.add', target: memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { passkey: passkeyId } }, context)
    return { passkeyId }
  })
}

/** Passkeys belong to members. Throws `Refused`. */
export function requireMember({ memberId }: Caller): string {
  if (memberId === null) throw new Refused(noMember)
  return memberId
}

const noMember = {
  title: 'Passkeys are for the team.',
  next: 'You sign in by wallet or e-mail code.',
}
const forAnother = {
  title: 'This passkey was made for somebody else.',
  next: 'Nothing was added. Start again.',
}
