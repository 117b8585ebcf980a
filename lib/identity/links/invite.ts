import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import { requireFreshSignIn } from '#lib/access/require-fresh-sign-in.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { staffRoles } from '#lib/access/rules/roles.ts'
import { tellAdmins } from '#lib/audit/notices/tell-admins.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { lowerCase } from '#lib/platform/db/any-case.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { env } from '#lib/platform/env.ts'
import { EmailAddressSchema } from '#lib/platform/forms/email-address.ts'
import { PersonNameSchema } from '#lib/platform/forms/person-name.ts'
import { ReasonSchema } from '#lib/platform/forms/reason.ts'
import { type ClaimedMail, queueClaimed } from '#lib/platform/mail/mail-queue.ts'
import { tryNow } from '#lib/platform/mail/try-mail.ts'
import { InvalidInput, Refused } from '#lib/platform/refusals.ts'
import type { MailState } from '#lib/platform/rules/after-try.ts'
import { isMailbox } from '#lib/platform/rules/mail-address.ts'
import { requireStandingSession } from '../sessions/require-standing-session.ts'
import { type InsertedLink, insertLink } from './insert-link.ts'
import { invitationMail } from './invitation-mail.ts'
import { linkAddress } from './link-address.ts'
import { withdrawLinks } from './withdraw-links.ts'

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
  /** The mail with its link; null when none was tried. One that waits is tried again, one that is unknown may have arrived. */
  readonly mail: { readonly to: string; readonly state: MailState; readonly answer: string } | null
  /** To be shown this once; null when it was surely mailed. */
  readonly link: string | null
  /** ISO 8601. */
  readonly expiresAt: string
}

/** How long an invitation is good, in days. */
export const invitationDays = 7

/**
 * Invites somebody to the team, by mail where that can be, else by a link to pass on. Of two who invite the same person,
 * one does. Throws `NotAllowed`, `SignInAgain`, `InvalidInput` and `Refused`.
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

/** Null where no mail server is set. */
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
  // Whoever takes the role away waits, and then withdraws this invitation, too.
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
  if (!link) throw new Refused(await invitedAlready(tx, invitee, name))
  const entry = { actor: caller, action: 'member.invite', target: link.id, outcome: 'done' } as const
  await recordAudit(tx, { ...entry, reason, details: { role } }, source)
  const facts = { member: name, role: roleLabels[role] }
  await tellAdmins(tx, { kind: 'member-invited', actor: caller, about: link.id, reason, facts })
  return link
}

/** The same for one person, however two admins write them. */
const inviteeOf = ({ name, email }: Pick<InviteForm, 'name' | 'email'>): string =>
  (email === undefined ? `name ${name}` : `email ${email}`).normalize('NFC').toLowerCase()

const EXPIRED = `
  SELECT id FROM access_link
  WHERE invitee = $1 AND expires_at <= now() AND used_at IS NULL AND withdrawn_at IS NULL`

async function refuseMembers(tx: Transaction, email: string) {
  const { rows } = await tx.query<{ name: string }>(MEMBER_WITH, [email.normalize('NFC').toLowerCase()])
  const [member] = rows
  if (member) throw new InvalidInput({ email: `${member.name} has this address and is a member already.` })
}

const MEMBER_WITH = `
  SELECT member.name FROM member LEFT JOIN person USING (user_uuid)
  WHERE removed_at IS NULL AND joined_at IS NOT NULL AND $1 IN (${lowerCase('member.email')}, ${lowerCase('person.email')}) LIMIT 1`

async function invitedAlready(tx: Transaction, invitee: string, name: string) {
  const { rows } = await tx.query<{ by: string }>(OPEN_INVITATION, [invitee])
  return {
    title: `${name} has been invited already.`,
    next: `${rows[0]?.by ?? 'Another admin'} did. Nothing was sent. To send another link, withdraw that invitation first.`,
  }
}

const OPEN_INVITATION = `
  SELECT COALESCE(member.name, created_by) AS by FROM access_link
  LEFT JOIN member ON created_by IN (member.id::text, member.user_uuid::text)
  WHERE invitee = $1 AND used_at IS NULL AND withdrawn_at IS NULL`
