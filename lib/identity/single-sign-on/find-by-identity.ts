import 'server-only'
import { parseRole } from '#lib/access/rules/roles.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { lowerCase } from '#lib/platform/db/sql-text.ts'
import type { LockedMember } from '../members/lock-team.ts'
import type { Claims } from './claims.ts'

/** A sign-in at the provider finds a member in this form. */
export interface KnownMember extends LockedMember {
  readonly isRemoved: boolean
  /** The member has signed in at the provider before. */
  readonly hasIdentity: boolean
}

/** The member signs in as this subject of this issuer; null for a person who comes for the first time. */
export async function findByIdentity(tx: Transaction, { iss, sub }: Claims): Promise<KnownMember | null> {
  const { rows } = await tx.query<MemberRow>(FIND, [iss, sub])
  return rows[0] ? toKnownMember(rows[0]) : null
}

/**
 * A member seems to have signed in as this subject, or with this address, under another issuer: the provider
 * has moved. The same subject at another issuer may be somebody else, so nobody is let in by it.
 */
export async function findMoved(tx: Transaction, { iss, sub, email, email_verified }: Claims) {
  const address = email_verified === true ? (email?.normalize('NFC').toLowerCase() ?? null) : null
  const { rows } = await tx.query<MemberRow>(MOVED, [iss, sub, address])
  return rows[0] ? toKnownMember(rows[0]) : null
}

/** The subject belongs to nobody here any more. */
export async function forgetIdentity(tx: Transaction, memberId: string): Promise<void> {
  await tx.query('UPDATE member SET sso_issuer = NULL, sso_subject = NULL WHERE id = $1', [memberId])
}

export interface MemberRow {
  readonly id: string
  readonly user_uuid: string | null
  readonly name: string
  readonly role: string
  readonly removed_at: Date | null
  readonly has_identity: boolean
}

export const toKnownMember = ({
  id,
  user_uuid,
  name,
  role,
  removed_at,
  has_identity,
}: MemberRow): KnownMember => ({
  memberId: id,
  userUuid: user_uuid,
  name,
  role: parseRole(role),
  isRemoved: removed_at !== null,
  hasIdentity: has_identity,
})

const FIND = `
  SELECT id, user_uuid, name, role, removed_at, true AS has_identity FROM member
  WHERE sso_issuer = $1 AND sso_subject = $2 AND joined_at IS NOT NULL FOR UPDATE`

const MOVED = `
  SELECT id, user_uuid, name, role, removed_at, true AS has_identity FROM member
  WHERE sso_issuer <> $1 AND (sso_subject = $2 OR ${lowerCase('email')} = $3) AND joined_at IS NOT NULL AND removed_at IS NULL
  ORDER BY id LIMIT 1`
