import 'server-only'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { noCallSource } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { digestToken, randomToken } from '#lib/platform/keys/digests-and-seals.ts'
import { withdrawMails } from '#lib/platform/mail/mail-queue.ts'
import { cleanText, nameKey } from '#lib/platform/rules/pasted-text.ts'
import { findUuid } from '#lib/platform/rules/whole-ids.ts'
import { hasAdmin } from '../members/lock-team.ts'
import { emailKey } from '../users/person-texts.ts'

/** `set-up` makes the first admin, `invitation` a member, `sign-in` lets a member in. */
export type LinkKind = 'set-up' | 'invitation' | 'sign-in'

interface NewLink {
  readonly kind: LinkKind
  /** The creator is named as in `Caller.id`, or is the command line. */
  readonly createdBy: string
  readonly lifetimeMs: number
  /** The link lets this member in; null for somebody who becomes a member only by it. */
  readonly memberId?: string
  readonly invited?: {
    readonly name: string
    readonly email: string | null
    readonly role: string
    /** The text is the same for one person, however an admin writes them. */
    readonly invitee: string
  }
}

export interface InsertedLink {
  readonly id: string
  /** Only the link's address contains the token. */
  readonly token: string
  readonly expiresAt: Date
}

/** The new link is stored; null when the same person has an open invitation. */
export async function insertLink(tx: Transaction, link: NewLink): Promise<InsertedLink | null> {
  const { kind, createdBy, lifetimeMs, memberId, invited } = link
  const id = uuidv7()
  const token = randomToken()
  const expiresAt = new Date(Date.now() + lifetimeMs)
  const { rowCount } = await tx.query(INSERT, [
    id,
    kind,
    digestToken(token),
    memberId,
    invited?.name,
    invited?.email,
    invited?.role,
    invited?.invitee,
    createdBy,
    expiresAt,
  ])
  return rowCount === 1 ? { id, token, expiresAt } : null
}

const INSERT = `
  INSERT INTO access_link (id, kind, token_digest, member_id, name, email, role, invitee, created_by, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (invitee) WHERE used_at IS NULL AND withdrawn_at IS NULL DO NOTHING`

/** The token is behind `#`, which browsers never send, so that no log and no proxy learns it. */
export const linkAddress = (publicUrl: URL, token: string): string =>
  `${new URL('/set-up', publicUrl).href}#${token}`

/** Each fault says why a link does not open, and what to do, in the same words for every kind. */
export type LinkFault = 'unknown' | 'used' | 'expired' | 'withdrawn' | 'admin-exists'

/**
 * Unused links are withdrawn: they no longer open, and somebody who has opened one and not finished cannot go
 * on. The result is their number.
 */
export async function withdrawLinks(
  tx: Transaction,
  links: readonly { readonly id: string }[],
): Promise<number> {
  const ids = links.map(({ id }) => id)
  const { rows } = await tx.query<{ member_id: string | null }>(WITHDRAW, [ids])
  await withdrawMails(tx, ids)
  const members = rows.flatMap(({ member_id }) => member_id ?? [])
  await tx.query(END_SESSIONS, [members])
  await tx.query('DELETE FROM member WHERE id = ANY($1::uuid[]) AND joined_at IS NULL', [members])
  return rows.length
}

/** All links from before `until` are withdrawn: a restored backup does not know which were used or withdrawn since. */
export async function withdrawLinksOfAll(tx: Transaction, until: Date): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(OPEN, [until])
  return withdrawLinks(tx, rows)
}

const OPEN = `
  SELECT id FROM access_link
  WHERE used_at IS NULL AND withdrawn_at IS NULL AND expires_at > now() AND created_at <= $1`

const WITHDRAW = `
  UPDATE access_link SET withdrawn_at = now()
  WHERE id = ANY($1::uuid[]) AND used_at IS NULL AND withdrawn_at IS NULL
  RETURNING member_id`

const END_SESSIONS = `
  UPDATE session SET ended_at = now(), end_reason = 'withdrawn'
  WHERE ended_at IS NULL AND member_id = ANY(SELECT id FROM member WHERE id = ANY($1::uuid[]) AND joined_at IS NULL)`

/** A set-up link is valid for this many hours. */
export const setUpLinkHours = 24

/** The first admin joins by this link. Earlier links end. Null when there is an admin. */
export const createSetUpLink = (pool: pg.Pool, publicUrl: URL): Promise<string | null> =>
  inTransaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.firstAdmin])
    if (await hasAdmin(tx)) return null
    const { rows } = await tx.query<{ id: string }>(`SELECT id FROM access_link WHERE kind = 'set-up'`)
    await withdrawLinks(tx, rows)
    const lifetimeMs = setUpLinkHours * 3_600_000
    const link = await insertLink(tx, { kind: 'set-up', createdBy: commandLine.id, lifetimeMs })
    if (!link) return null
    const about = { actor: commandLine, action: 'link.create', target: link.id, outcome: 'done' } as const
    await recordAudit(tx, { ...about, details: { kind: 'set-up' } }, noCallSource)
    return linkAddress(publicUrl, link.token)
  })

/** A sign-in link is valid for this many minutes. */
export const signInLinkMinutes = 15

type SignInLink =
  | { readonly kind: 'made'; readonly link: string; readonly name: string; readonly role: Role | null }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'several'; readonly members: readonly { readonly id: string; readonly name: string }[] }

/**
 * The link signs one member in, once, when no other way works. Earlier links of the member end, and every admin
 * is notified. `who` is a name, an e-mail address, or the id of the member or of their account at the service.
 */
export const createSignInLink = (pool: pg.Pool, publicUrl: URL, who: string): Promise<SignInLink> =>
  inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<MemberRow>(MEMBERS)
    const found = rows.filter(isMeantBy(who)).slice(0, 10)
    const [member, ...others] = found
    if (!member) return { kind: 'nobody' }
    if (others.length > 0) return { kind: 'several', members: found }
    const { id: memberId, name } = member
    const { rows: earlier } = await tx.query<{ id: string }>(EARLIER, [memberId])
    await withdrawLinks(tx, earlier)
    const lifetimeMs = signInLinkMinutes * 60_000
    const made = await insertLink(tx, { kind: 'sign-in', createdBy: commandLine.id, lifetimeMs, memberId })
    if (!made) return { kind: 'nobody' }
    const about = { actor: commandLine, action: 'link.create', target: made.id, outcome: 'done' } as const
    await recordAudit(tx, { ...about, details: { kind: 'sign-in', member: memberId } }, noCallSource)
    const role = parseRole(member.role)
    const facts = { member: name, role: role ? roleLabels[role] : member.role }
    await tellAdmins(tx, { kind: 'sign-in-link', actor: { id: commandLine.id }, about: memberId, facts })
    return { kind: 'made', link: linkAddress(publicUrl, made.token), name, role }
  })

interface MemberRow {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly user_uuid: string | null
  readonly emails: readonly string[]
}

const MEMBERS = `
  SELECT member.id, name, role, user_uuid, array_remove(ARRAY[member.email, person.email], NULL) AS emails
  FROM member LEFT JOIN person USING (user_uuid)
  WHERE removed_at IS NULL AND joined_at IS NOT NULL
  ORDER BY name`

/** A team is small, so its names and addresses are compared here, in one form of both. */
function isMeantBy(who: string): (member: MemberRow) => boolean {
  const [wanted, name] = [cleanText(who), nameKey(who)]
  const [uuid, email] = [findUuid(wanted), emailKey(wanted)]
  return (member) =>
    nameKey(member.name) === name ||
    member.emails.some((address) => emailKey(address) === email) ||
    (uuid !== null && (member.id === uuid || member.user_uuid === uuid))
}

const EARLIER = `
  SELECT id FROM access_link WHERE kind = 'sign-in' AND member_id = $1 AND used_at IS NULL AND withdrawn_at IS NULL`
