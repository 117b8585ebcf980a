import 'server-only'
import type pg from 'pg'
import { noCallSource, type RequestContext } from '#lib/access/caller.ts'
import { parseRole } from '#lib/access/rules/roles.ts'
import { singleSignOn, tellAdmins } from '#lib/audit/notices/notices.ts'
import { commandLine, recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { withdrawLinks } from '../links/access-links.ts'
import { type LockedMember, lockTeam } from '../members/lock-team.ts'
import { emailSpellings, isAddress } from '../users/person-texts.ts'
import type { Claims } from './claims.ts'

/** A sign-in at the provider finds a member in this form. */
export interface KnownMember extends LockedMember {
  readonly isRemoved: boolean
  /** The member has signed in at the provider before. */
  readonly hasIdentity: boolean
}

/** The member signs in as this subject of this issuer; null for a person who comes for the first time. */
export async function findByIdentity(tx: Transaction, { iss, sub }: Claims): Promise<KnownMember | null> {
  const { rows } = await tx.query<MemberRow>(FIND_BY_IDENTITY, [iss, sub])
  return rows[0] ? toKnownMember(rows[0]) : null
}

/**
 * A member seems to have signed in as this subject, or with this address, under another issuer: the provider
 * has moved. The same subject at another issuer may be somebody else, so nobody is let in by it.
 */
export async function findMoved(tx: Transaction, claims: Claims) {
  const { iss, sub, email_verified } = claims
  const addresses = email_verified === true ? addressesOf(claims) : []
  const { rows } = await tx.query<MemberRow>(MOVED, [iss, sub, addresses])
  return rows[0] ? toKnownMember(rows[0]) : null
}

/** The subject belongs to nobody here any more. */
export async function forgetIdentity(tx: Transaction, memberId: string): Promise<void> {
  await tx.query('UPDATE member SET sso_issuer = NULL, sso_subject = NULL WHERE id = $1', [memberId])
}

interface MemberRow {
  readonly id: string
  readonly user_uuid: string | null
  readonly name: string
  readonly role: string
  readonly removed_at: Date | null
  readonly has_identity: boolean
}

const toKnownMember = ({ id, user_uuid, name, role, removed_at, has_identity }: MemberRow): KnownMember => ({
  memberId: id,
  userUuid: user_uuid,
  name,
  role: parseRole(role),
  isRemoved: removed_at !== null,
  hasIdentity: has_identity,
})

const FIND_BY_IDENTITY = `
  SELECT id, user_uuid, name, role, removed_at, true AS has_identity FROM member
  WHERE sso_issuer = $1 AND sso_subject = $2 AND joined_at IS NOT NULL FOR UPDATE`

const MOVED = `
  SELECT id, user_uuid, name, role, removed_at, true AS has_identity FROM member
  WHERE sso_issuer <> $1 AND (sso_subject = $2 OR ${isAddress('email', '$3')}) AND joined_at IS NOT NULL AND removed_at IS NULL
  ORDER BY id LIMIT 1`

interface FoundByAddress {
  readonly member: KnownMember | null
  /**
   * It is surely the same person: the provider has verified the address, an admin invited them by it, and they signed in by
   * passkey or account so far. The address alone proves nothing, because people may choose the address that they show.
   */
  readonly isProved: boolean
}

/** The member has the address of these claims; the person comes from the provider for the first time. */
export async function findByAddress(tx: Transaction, claims: Claims): Promise<FoundByAddress> {
  const { rows } = await tx.query<MemberRow & { invited: boolean }>(FIND_BY_ADDRESS, [addressesOf(claims)])
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
  const { rows } = await tx.query<{ id: string }>(OPEN_INVITATIONS, [addressesOf(claims)])
  await withdrawLinks(tx, rows)
  for (const { id: target } of rows) {
    const entry = { actor, action: 'invitation.withdraw', target, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, details: { by: singleSignOn.id } }, context)
  }
}

/** Invitations and members may have any spelling of the address; there is none without an address. */
const addressesOf = ({ email }: Claims): readonly string[] =>
  email === undefined ? [] : emailSpellings(email)

const FIND_BY_ADDRESS = `
  SELECT id, user_uuid, member.name, role, removed_at, sso_subject IS NOT NULL AS has_identity, invited
  FROM member LEFT JOIN person USING (user_uuid)
  CROSS JOIN LATERAL (SELECT EXISTS (
    SELECT FROM access_link
    WHERE member_id = member.id AND kind = 'invitation' AND used_at IS NOT NULL AND ${isAddress('email', '$1')}
  ) AS invited) AS invitation
  WHERE removed_at IS NULL AND joined_at IS NOT NULL
    AND (invited OR ${isAddress('member.email', '$1')} OR ${isAddress('person.email', '$1')})
  ORDER BY member.id FOR UPDATE OF member`

const OPEN_INVITATIONS = `
  SELECT id FROM access_link
  WHERE kind = 'invitation' AND ${isAddress('email', '$1')} AND used_at IS NULL AND withdrawn_at IS NULL`

interface Move {
  readonly from: string
  readonly to: string
  readonly reason: string
}

/**
 * The provider has moved: members who signed in at one issuer are found at another from now on, by the same
 * subjects. All admins are notified. The result counts the moved members and names those who stay, because
 * another member has the same subject there already.
 */
export const moveIssuer = (
  pool: pg.Pool,
  { from, to, reason }: Move,
): Promise<{ readonly moved: number; readonly stay: readonly string[] }> =>
  inTransaction(pool, async (tx) => {
    await lockTeam(tx)
    const { rowCount } = await tx.query(MOVE, [from, to])
    const moved = rowCount ?? 0
    const { rows } = await tx.query<{ name: string }>(STAY, [from])
    if (moved > 0) {
      const entry = { actor: commandLine, action: 'member.move-issuer', outcome: 'done', reason } as const
      await recordAudit(tx, { ...entry, details: { before: from, after: to, members: moved } }, noCallSource)
      const facts = { members: String(moved), from, to }
      await tellAdmins(tx, { kind: 'issuer-moved', actor: { id: commandLine.id }, reason, facts })
    }
    return { moved, stay: rows.map(({ name }) => name) }
  })

/** The issuers at which members sign in come with the most common first. */
export const listIssuers = async (pool: pg.Pool) =>
  (await pool.query<{ issuer: string; members: number }>(ISSUERS)).rows

const MOVE = `
  UPDATE member SET sso_issuer = $2
  WHERE sso_issuer = $1 AND NOT EXISTS (
    SELECT FROM member AS other WHERE other.sso_issuer = $2 AND other.sso_subject = member.sso_subject)`

const STAY = 'SELECT name FROM member WHERE sso_issuer = $1 ORDER BY name'

const ISSUERS = `
  SELECT sso_issuer AS issuer, count(*)::int AS members FROM member
  WHERE sso_issuer IS NOT NULL AND removed_at IS NULL GROUP BY 1 ORDER BY 2 DESC, 1`
