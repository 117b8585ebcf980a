import 'server-only'
import { z } from 'zod'
import type { ActionContext, Caller } from '#lib/access/caller.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { PersonNameSchema } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { RegistrationAnswerSchema } from '../passkeys/passkey-challenges.ts'
import {
  beginRegistration,
  insertPasskey,
  PasskeyNameSchema,
  type RegistrationOptions,
  verifyRegistration,
} from '../passkeys/registration.ts'
import { finishSetUp } from './join-team.ts'

/** The set-up page shows this to somebody who opened a link. */
interface SetUpView {
  /** The name is empty until the person has given it. */
  readonly name: string
  readonly email: string | null
  /** The person will have this role. */
  readonly role: Role
}

/** Null when the link was withdrawn meanwhile. */
export async function readSetUp({ memberId }: Caller): Promise<SetUpView | null> {
  if (memberId === null) return null
  const member = await prisma().member.findFirst({ where: { id: memberId, joinedAt: null } })
  const role = parseRole(member?.role ?? '')
  return member && role ? { name: member.name, email: member.email, role } : null
}

const NameYourselfSchema = z.object({ name: PersonNameSchema })

/** The person gives the name that the others see. Throws `Refused`. */
export async function nameYourself(
  { memberId }: Caller,
  { name }: z.output<typeof NameYourselfSchema>,
): Promise<{ readonly name: string }> {
  const { rowCount } = await pool().query(NAME, [memberId, name])
  if (rowCount !== 1) throw new Refused('link-withdrawn')
  return { name }
}

const NAME = 'UPDATE member SET name = $2 WHERE id = $1 AND joined_at IS NULL'

export const BeginSetUpPasskeySchema = z.object({ name: PersonNameSchema })

/** The person gives the name that the others see, and begins to make a passkey. Throws `Refused`. */
export async function beginSetUpPasskey(
  settingUp: Caller,
  form: z.output<typeof BeginSetUpPasskeySchema>,
  { browserId }: ActionContext,
): Promise<RegistrationOptions> {
  const { memberId, email } = settingUp
  if (memberId === null) throw new Refused('link-withdrawn')
  const { name } = await nameYourself(settingUp, form)
  return beginRegistration({ memberId, name, label: email ?? name }, browserId)
}

export const SetUpPasskeySchema = z.object({
  answer: RegistrationAnswerSchema,
  passkeyName: PasskeyNameSchema,
})

/**
 * The passkey is stored and its owner becomes a member, both or neither. The result is the token of the new
 * session. Throws `Refused`.
 */
export async function setUpPasskey(
  settingUp: Caller,
  { answer, passkeyName }: z.output<typeof SetUpPasskeySchema>,
  context: ActionContext,
): Promise<string> {
  const made = await verifyRegistration(answer, context.browserId)
  if (made.memberId !== settingUp.memberId) throw new Refused('link-withdrawn')
  return inTransaction(pool(), async (tx) => {
    const passkey = await insertPasskey(tx, made, passkeyName)
    const { joined, token } = await finishSetUp(tx, settingUp, 'passkey', context)
    // A person who is setting up has no role; the passkey belongs to the new member.
    const actor = { id: joined.memberId, role: joined.role }
    const entry = { actor, action: 'passkey.add', target: joined.memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { passkey } }, context)
    return token
  })
}
