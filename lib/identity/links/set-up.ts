import 'server-only'
import { z } from 'zod'
import type { ActionContext, Caller } from '#lib/access/caller.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { EmailAddressSchema, PersonNameSchema } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { isMailbox } from '#lib/platform/rules/mail-address.ts'
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
  /** The first admin is asked for an address, which alerts go to. An invitation has one, or its admin gave none. */
  readonly asksForEmail: boolean
  /** The person will have this role. */
  readonly role: Role
}

/** Null when the link was withdrawn meanwhile. */
export async function readSetUp({ memberId }: Caller): Promise<SetUpView | null> {
  if (memberId === null) return null
  const member = await prisma().member.findFirst({ where: { id: memberId, joinedAt: null } })
  const role = parseRole(member?.role ?? '')
  if (!member || !role) return null
  const { rowCount } = await pool().query(IS_FIRST, [memberId])
  const { name, email } = member
  return { name, email, asksForEmail: email === null && rowCount === 1, role }
}

/** An empty address is none. */
const OwnEmailSchema = z.preprocess(
  (text) => (text === '' ? undefined : text),
  EmailAddressSchema.refine(isMailbox, 'Mail cannot go to an address in quotes.').optional(),
)

const NameYourselfSchema = z.object({ name: PersonNameSchema, email: OwnEmailSchema })

/** The person gives the name that the others see. The first admin also gives an address. Throws `Refused`. */
export async function nameYourself(
  { memberId }: Caller,
  { name, email }: z.output<typeof NameYourselfSchema>,
): Promise<{ readonly name: string }> {
  const { rowCount } = await pool().query(NAME, [memberId, name, email])
  if (rowCount !== 1) throw new Refused('link-withdrawn')
  return { name }
}

/** Somebody with an invitation keeps the address that an admin knows them by: single sign-on may find them by it. */
const IS_FIRST = `SELECT FROM access_link WHERE member_id = $1 AND kind = 'set-up' LIMIT 1`

const NAME = `
  UPDATE member SET name = $2,
    email = CASE WHEN EXISTS (${IS_FIRST}) THEN COALESCE($3, email) ELSE email END
  WHERE id = $1 AND joined_at IS NULL`

export const BeginSetUpPasskeySchema = NameYourselfSchema

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
