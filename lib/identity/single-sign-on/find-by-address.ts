import 'server-only'
import type { RequestContext } from '#lib/access/caller.ts'
import { singleSignOn, tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { lowerCase } from '#lib/platform/db/sql-text.ts'
import { withdrawLinks } from '../links/access-links.ts'
import type { Claims } from './claims.ts'
import { type KnownMember, type MemberRow, toKnownMember } from './find-by-identity.ts'

export interface FoundByAddress {
  readonly member: KnownMember | null
  /**
   * It is surely the same person: the provider has verified the address, an admin invited them by it, and they signed in by
   * passkey or account so far. The address alone proves nothing, because people may choose the address that they show.
   */
  readonly isProved: boolean
}

/** The member has the address of these claims; the person comes from the provider for the first time. */
export async function findByAddress(tx: Transaction, claims: Claims): Promise<FoundByAddress> {
  const address = addressOf(claims)
  const { rows } = await tx.query<MemberRow & { invited: boolean }>(FIND, [address])
  const [row, ...others] = rows
  if (!row) return { member: null, isProved: false }
  const isProved = others.length === 0 && row.invited && !row.has_identity && claims.email_verified === true
  return { member: toKnownMember(row), isProved }
}

/** The member can also sign in at the provider from now on; all admins are notified. */
export async function linkIdentity(
  tx: Transaction,
  { memberId, name, role }: KnownMember,
  { iss, sub }: Claims,
  context: RequestContext,
): Promise<void> {
  await tx.query('UPDATE member SET sso_issuer = $2, sso_subject = $3 WHERE id = $1', [memberId, iss, sub])
  const actor = { id: memberId, role }
  const entry = { actor, action: 'member.link-identity', target: memberId, outcome: 'done' } as const
  await recordAudit(tx, { ...entry, details: { issuer: iss } }, context)
  await tellAdmins(tx, {
    kind: 'identity-linked',
    actor: singleSignOn,
    about: memberId,
    facts: { member: name },
  })
}

/**
 * A person who is a member by the provider's claims needs no invitation any more: used later, it would make a second member.
 */
export async function withdrawInvitations(
  tx: Transaction,
  actor: { readonly id: string; readonly role: string },
  claims: Claims,
  context: RequestContext,
): Promise<void> {
  if (claims.email_verified !== true) return
  const { rows } = await tx.query<{ id: string }>(OPEN_INVITATIONS, [addressOf(claims)])
  await withdrawLinks(tx, rows)
  for (const { id: target } of rows) {
    const entry = { actor, action: 'invitation.withdraw', target, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { by: singleSignOn.id } }, context)
  }
}

/** Invitations compare addresses in this form; null without an address. */
const addressOf = ({ email }: Claims): string | null => email?.normalize('NFC').toLowerCase() ?? null

const FIND = `
  SELECT id, user_uuid, member.name, role, removed_at, sso_subject IS NOT NULL AS has_identity, invited
  FROM member LEFT JOIN person USING (user_uuid)
  CROSS JOIN LATERAL (SELECT EXISTS (
    SELECT FROM access_link
    WHERE member_id = member.id AND kind = 'invitation' AND used_at IS NOT NULL AND ${lowerCase('email')} = $1
  ) AS invited) AS invitation
  WHERE removed_at IS NULL AND joined_at IS NOT NULL
    AND (invited OR $1 IN (${lowerCase('member.email')}, ${lowerCase('person.email')}))
  ORDER BY member.id FOR UPDATE OF member`

const OPEN_INVITATIONS = `
  SELECT id FROM access_link
  WHERE kind = 'invitation' AND ${lowerCase('email')} = $1 AND used_at IS NULL AND withdrawn_at IS NULL`
