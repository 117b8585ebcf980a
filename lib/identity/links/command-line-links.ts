import 'server-only'
import type pg from 'pg'
import { noCallSource } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction } from '#lib/platform/db/in-transaction.ts'
import { advisoryLocks } from '#lib/platform/db/locks.ts'
import { lowerCase } from '#lib/platform/db/sql-text.ts'
import { cleanText } from '#lib/platform/rules/pasted-text.ts'
import { findUuid } from '#lib/platform/rules/whole-ids.ts'
import { hasAdmin } from '../members/lock-team.ts'
import { insertLink, linkAddress, withdrawLinks } from './access-links.ts'

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
    const wanted = cleanText(who)
    const { rows } = await tx.query<MemberRow>(FIND, [wanted, findUuid(wanted)])
    const [member, ...others] = rows
    if (!member) return { kind: 'nobody' }
    if (others.length > 0) return { kind: 'several', members: rows }
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
}

const FIND = `
  SELECT member.id, name, role FROM member LEFT JOIN person USING (user_uuid)
  WHERE removed_at IS NULL AND joined_at IS NOT NULL
    AND (${lowerCase('name')} = ${lowerCase('$1')} OR ${lowerCase('$1')} IN (${lowerCase('member.email')}, ${lowerCase('person.email')})
         OR member.id = $2::uuid OR user_uuid = $2::uuid)
  ORDER BY name LIMIT 10`

const EARLIER = `
  SELECT id FROM access_link WHERE kind = 'sign-in' AND member_id = $1 AND used_at IS NULL AND withdrawn_at IS NULL`
