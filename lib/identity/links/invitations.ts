import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { parseRole, type Role, type StaffRole, staffRoles } from '#lib/access/rules/roles.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { EmailAddressSchema, PersonNameSchema, ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { type ClaimedMail, queueClaimed, tryNow } from '#lib/platform/mail/mail-queue.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import { isMailbox } from '#lib/platform/rules/mail-address.ts'
import type { MailState } from '#lib/platform/rules/mail-states.ts'
import { isolated, nameKey } from '#lib/platform/rules/pasted-text.ts'
import { requireStandingSession } from '../sessions/person-sessions.ts'
import { emailKey, emailSpellings, isAddress } from '../users/person-texts.ts'
import { type InsertedLink, insertLink, linkAddress, withdrawLinks } from './access-links.ts'

export const InviteSchema = z.object({
  name: PersonNameSchema,
  email: z.preprocess(
    (text) => (text === '' ? undefined : text),
    EmailAddressSchema.refine(isMailbox, 'Mail cannot go to an address in quotes.').optional(),
  ),
  role: z.enum(staffRoles, 'Choose a role.'),
  reason: ReasonSchema,
})

type InviteForm = z.output<typeof InviteSchema>

export interface Invited {
  readonly name: string
  /**
   * The mail contains the link; null when no mail was tried. A waiting mail is tried again; an unknown one may have arrived.
   */
  readonly mail: { readonly to: string; readonly state: MailState; readonly answer: string } | null
  /** The link is shown this once; null when it was surely mailed. */
  readonly link: string | null
  /** ISO 8601. */
  readonly expiresAt: string
}

/** An invitation is valid for this many days. */
const invitationDays = 7

/**
 * Somebody is invited to the team by mail, or else by a link to pass on. When two admins invite the same
 * person, one succeeds. Throws `NotAllowed`, `SignInAgain`, `InvalidInput` and `Refused`.
 */
export async function invite(caller: Caller, form: InviteForm, source: CallSource): Promise<Invited> {
  requirePermission(caller, 'manage-team')
  requireFreshSignIn(caller)
  const { name, email } = form
  const { link, expiresAt, queued } = await inTransaction(pool(), async (tx) => {
    const inserted = await insertInvitation(tx, caller, form, source)
    const link = linkAddress(env().publicUrl, inserted.token)
    const queued =
      email === undefined ? null : await queueInvitation(tx, caller, form, email, { ...inserted, link })
    return { link, expiresAt: inserted.expiresAt.toISOString(), queued }
  })
  if (queued === null) return { name, mail: null, link, expiresAt }
  const mail = { to: queued.recipient, ...(await tryNow(pool(), queued)) }
  return { name, mail, link: mail.state === 'sent' ? null : link, expiresAt }
}

/** Null when no mail server is set. */
async function queueInvitation(
  tx: Transaction,
  caller: Caller,
  { name, role }: InviteForm,
  recipient: string,
  { id, link, expiresAt }: Omit<InsertedLink, 'token'> & { readonly link: string },
): Promise<ClaimedMail | null> {
  if (env().mail === null) return null
  const by = caller.name ?? caller.email ?? 'An admin'
  const written = invitationMail({ name, role, link, expiresAt, by })
  return queueClaimed(tx, { kind: 'invitation', recipient, about: [id], written })
}

async function insertInvitation(
  tx: Transaction,
  caller: Caller,
  form: InviteForm,
  source: CallSource,
): Promise<InsertedLink> {
  const { name, email, role, reason } = form
  // An admin who takes the caller's role away waits here, and then withdraws this invitation, too.
  await requireStandingSession(tx, caller.sessionId)
  const invitee = inviteeOf(form)
  if (email !== undefined) await refuseMembers(tx, email)
  const { rows: expired } = await tx.query<{ id: string }>(EXPIRED, [invitee])
  await withdrawLinks(tx, expired)
  const link = await insertLink(tx, {
    kind: 'invitation',
    createdBy: caller.id,
    lifetimeMs: invitationDays * 24 * 3_600_000,
    invited: { name, email: email ?? null, role, invitee },
  })
  if (!link) throw await invitedAlready(tx, invitee, name)
  const entry = { actor: caller, action: 'member.invite', target: link.id, outcome: 'done' } as const
  await recordAudit(tx, { ...entry, reason, details: { role } }, source)
  const facts = { member: name, role: roleLabels[role] }
  await tellAdmins(tx, { kind: 'member-invited', actor: caller, about: link.id, reason, facts })
  return link
}

/** The text is the same for one person, however two admins write them. */
const inviteeOf = ({ name, email }: Pick<InviteForm, 'name' | 'email'>): string =>
  email === undefined ? `name ${nameKey(name)}` : `email ${emailKey(email)}`

const EXPIRED = `
  SELECT id FROM access_link
  WHERE invitee = $1 AND expires_at <= now() AND used_at IS NULL AND withdrawn_at IS NULL`

async function refuseMembers(tx: Transaction, email: string) {
  const { rows } = await tx.query<{ name: string }>(MEMBER_WITH, [emailSpellings(email)])
  const [member] = rows
  if (member) throw new InvalidInput({ email: `${member.name} has this address and is a member already.` })
}

const MEMBER_WITH = `
  SELECT member.name FROM member LEFT JOIN person USING (user_uuid)
  WHERE removed_at IS NULL AND joined_at IS NOT NULL
    AND (${isAddress('member.email', '$1')} OR ${isAddress('person.email', '$1')}) LIMIT 1`

async function invitedAlready(tx: Transaction, invitee: string, name: string): Promise<Refused> {
  const { rows } = await tx.query<{ by: string }>(OPEN_INVITATION, [invitee])
  return new Refused('invited-already', { name, by: rows[0]?.by ?? 'Another admin' })
}

const OPEN_INVITATION = `
  SELECT COALESCE(member.name, created_by) AS by FROM access_link
  LEFT JOIN member ON created_by IN (member.id::text, member.user_uuid::text)
  WHERE invitee = $1 AND used_at IS NULL AND withdrawn_at IS NULL`

/** The mail with the invitation is plain text. */
function invitationMail({
  name,
  role,
  link,
  expiresAt,
  by,
}: {
  readonly name: string
  readonly role: StaffRole
  readonly link: string
  readonly expiresAt: Date
  readonly by: string
}): { readonly subject: string; readonly text: string } {
  const { hostname } = new URL(link)
  const inviter = isolated(by)
  return {
    subject: `${inviter} invites you to Rampart at ${hostname}`,
    text: `Hello ${isolated(name)},

${inviter} invites you to the team at ${hostname}, with the role ${roleLabels[role]}.

Open this link in the browser that you want to work in:

${link}

It is good for you alone, once, until ${expiresAt.toUTCString()}. Do not pass it on: whoever opens it first
joins in your place. If you did not expect it, delete this mail.
`,
  }
}

/** Nobody has used the invitation yet. Times are ISO 8601. */
export interface InvitationView {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly role: Role | null
  readonly invitedBy: string
  readonly createdAt: string
  readonly expiresAt: string
  /** `opened`: the link was opened, but no way to sign in was set up yet. */
  readonly state: 'sent' | 'opened' | 'expired'
  /** The state of its mail is null when no mail was queued. */
  readonly mail: MailState | null
}

/** Open invitations come newest first. Throws `NotAllowed`. */
export async function listInvitations(caller: Caller): Promise<InvitationView[]> {
  requirePermission(caller, 'manage-team')
  const { rows } = await pool().query<InvitationRow>(LIST)
  return rows.map(({ name, role, invited_by, created_at, expires_at, ...row }) => ({
    ...row,
    name: name ?? '',
    role: role === null ? null : parseRole(role),
    invitedBy: invited_by,
    createdAt: created_at.toISOString(),
    expiresAt: expires_at.toISOString(),
  }))
}

interface InvitationRow {
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly role: string | null
  readonly invited_by: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly state: InvitationView['state']
  readonly mail: MailState | null
}

const LIST = `
  SELECT link.id, link.name, link.email, link.role, COALESCE(member.name, created_by) AS invited_by,
         link.created_at, expires_at,
         CASE WHEN expires_at <= now() THEN 'expired' WHEN member_id IS NULL THEN 'sent' ELSE 'opened' END AS state,
         (SELECT CASE WHEN state = 'waiting' AND unsure > 0 THEN 'unknown' ELSE state END FROM mail
          WHERE kind = 'invitation' AND about && ARRAY[link.id] LIMIT 1) AS mail
  FROM access_link AS link
  LEFT JOIN member ON created_by IN (member.id::text, member.user_uuid::text)
  WHERE kind = 'invitation' AND used_at IS NULL AND withdrawn_at IS NULL
  ORDER BY link.created_at DESC LIMIT 200`

export const WithdrawInvitationSchema = z.object({
  invitationId: uuidField('This is not the id of an invitation.'),
})

/**
 * The invitation is withdrawn; somebody who has opened it and not finished cannot go on. Throws `NotAllowed` and `Refused`.
 */
export async function withdrawInvitation(
  caller: Caller,
  { invitationId }: z.output<typeof WithdrawInvitationSchema>,
  source: CallSource,
): Promise<void> {
  requirePermission(caller, 'manage-team')
  const withdrawn = await inTransaction(pool(), async (tx) => {
    const { rows } = await tx.query<{ id: string }>(INVITATION, [invitationId])
    const count = await withdrawLinks(tx, rows)
    const outcome = count > 0 ? 'done' : 'refused'
    const entry = { actor: caller, action: 'invitation.withdraw', target: invitationId, outcome } as const
    await recordAudit(tx, entry, source)
    return count > 0
  })
  if (!withdrawn) throw new Refused('invitation-not-open')
}

const INVITATION = `SELECT id FROM access_link WHERE id = $1 AND kind = 'invitation'`
