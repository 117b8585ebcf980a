import 'server-only'
import { uuidv7 } from 'uuidv7'
import { z } from 'zod'
import type { ActionContext, Caller, RequestContext } from '#lib/access/caller.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { EmailAddressSchema, PersonNameSchema } from '#lib/platform/forms/fields.ts'
import { digestToken } from '#lib/platform/keys/digests-and-seals.ts'
import { refuseBeyondLimit } from '#lib/platform/limits/limits.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { isMailbox } from '#lib/platform/rules/mail-address.ts'
import { type MembershipRow, membershipOf } from '../members/membership.ts'
import { RegistrationAnswerSchema } from '../passkeys/passkey-challenges.ts'
import {
  beginRegistration,
  insertPasskey,
  PasskeyNameSchema,
  type RegistrationOptions,
  verifyRegistration,
} from '../passkeys/registration.ts'
import { countDenied, recordRefusal } from '../sessions/denied-requests.ts'
import { openSession, startSession } from '../sessions/open-session.ts'
import type { LinkFault, LinkKind } from './access-links.ts'
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

export const OpenLinkSchema = z.object({ token: z.string().max(200) })

interface OpenedLink {
  /** The browser gets the session with this token. */
  readonly token: string
  /** The person continues by setting up a way to sign in, or goes to work. */
  readonly next: '/set-up' | '/'
}

/** Setting up a way to sign in may take this many minutes. Until it is done, the link can be opened again. */
const setUpMinutes = 60

/**
 * A sign-in link signs its member in, once. Any other link opens a session that can only set up a way to sign
 * in. Throws `Refused`.
 */
export async function openLink(
  { token }: z.output<typeof OpenLinkSchema>,
  context: RequestContext,
): Promise<OpenedLink> {
  await refuseBeyondLimit('link-per-ip', context.ip, 'too-many-links')
  const outcome = await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<LinkRow>(FIND, [digestToken(token)])
    const [link] = rows
    if (!link) return { fault: 'unknown', target: null } as const
    const fault = faultOf(link, new Date())
    if (fault) return { fault, target: link.id } as const
    return link.kind === 'sign-in' ? signMemberIn(tx, link, context) : letIn(tx, link, context)
  })
  if (!('fault' in outcome)) return outcome
  const { fault, target } = outcome
  const place = `link: ${fault}`
  if (target === null) await countDenied(null, place)
  else await recordRefusal({ action: 'link.open', target, details: { why: fault } }, place, context)
  throw new Refused(`link-${fault}`)
}

interface LinkRow {
  readonly id: string
  readonly kind: LinkKind
  readonly member_id: string | null
  readonly name: string | null
  readonly email: string | null
  readonly role: string | null
  readonly expires_at: Date
  readonly used_at: Date | null
  readonly withdrawn_at: Date | null
}

const FIND = `
  SELECT id, kind, member_id, name, email, role, expires_at, used_at, withdrawn_at
  FROM access_link WHERE token_digest = $1 FOR UPDATE`

function faultOf({ used_at, withdrawn_at, expires_at }: LinkRow, now: Date): LinkFault | null {
  if (withdrawn_at) return 'withdrawn'
  if (used_at) return 'used'
  return expires_at <= now ? 'expired' : null
}

type Outcome = OpenedLink | { readonly fault: LinkFault; readonly target: string }

async function signMemberIn(tx: Transaction, link: LinkRow, context: RequestContext): Promise<Outcome> {
  const memberId = link.member_id
  const signedInAs = { userUuid: null, memberId, method: 'link' } as const
  // The transaction reads the member itself: with a second connection of the pool, many openings would wait for each other.
  const { rows } = await tx.query<MemberRow>(MEMBER, [memberId])
  const membership = membershipOf(signedInAs, rows[0] ?? null)
  if (memberId === null || membership.memberId === null) return { fault: 'withdrawn', target: link.id }
  await tx.query('UPDATE access_link SET used_at = now() WHERE id = $1', [link.id])
  const { role } = membership
  const signedIn = { ...signedInAs, serviceSessionId: null, role }
  const token = await startSession(tx, signedIn, context, { link: link.id })
  return { token, next: '/' }
}

interface MemberRow extends MembershipRow {
  readonly joinedAt: Date | null
  readonly removedAt: Date | null
}

async function letIn(tx: Transaction, link: LinkRow, context: RequestContext): Promise<Outcome> {
  const memberId = link.member_id ?? uuidv7()
  if (link.member_id === null) {
    const { name, email, role } = link
    await tx.query(MAKE_MEMBER, [memberId, name ?? '', email, role ?? 'admin'])
    await tx.query('UPDATE access_link SET member_id = $2 WHERE id = $1', [link.id, memberId])
  }
  // Another browser that opened the link before cannot continue beside this one.
  await tx.query(END_EARLIER, [memberId])
  const signedIn = { userUuid: null, memberId, method: 'link', serviceSessionId: null } as const
  const once = { ...signedIn, role: 'end-user', maxMinutes: setUpMinutes } as const
  const token = await openSession(tx, once, context, new Date())
  const entry = { actor: null, action: 'link.open', target: link.id, outcome: 'done' } as const
  await recordAudit(tx, { ...entry, details: { kind: link.kind, member: memberId } }, context)
  return { token, next: '/set-up' }
}

const MEMBER = `
  SELECT id, role, name, email, joined_at AS "joinedAt", removed_at AS "removedAt" FROM member WHERE id = $1`

const MAKE_MEMBER = `
  INSERT INTO member (id, name, email, role, joined_at) VALUES ($1, $2, $3, $4, NULL)`

const END_EARLIER = `
  UPDATE session SET ended_at = now(), end_reason = 'replaced' WHERE member_id = $1 AND ended_at IS NULL`
