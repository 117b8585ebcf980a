import 'server-only'
import { uuidv7 } from 'uuidv7'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { openSession } from '#lib/auth/open-session.ts'
import { inTransaction, type Transaction } from '#lib/db/in-transaction.ts'
import { pool } from '#lib/db/pool.ts'
import { roleOfClaims } from '#lib/domain/access/role-of-claims.ts'
import { parseRole, type Role, type StaffRole } from '#lib/domain/access/roles.ts'
import type { SignInRefusal } from '#lib/domain/sign-in/sign-in-refusal.ts'
import { finishSetUp } from '#lib/links/finish-set-up.ts'
import type { Caller } from '#lib/request/caller.ts'
import { Refused } from '#lib/request/refusals.ts'
import type { RequestContext } from '#lib/request/request-context.ts'
import { changeRole } from './change-role.ts'
import type { Claims } from './claims.ts'
import { requireSingleSignOn } from './provider.ts'

export type Admission =
  | { readonly kind: 'signed-in'; readonly token: string }
  | { readonly kind: 'refused'; readonly why: SignInRefusal; readonly memberId: string | null }

/** Signs in whoever these claims are about, with the role that they give; whoever they give none loses theirs. */
export async function admitByClaims(
  claims: Claims,
  settingUp: Caller | null,
  context: RequestContext,
): Promise<Admission> {
  const { roleClaim } = requireSingleSignOn()
  const claimed = roleClaim && roleOfClaims(claims, roleClaim)
  try {
    return await inTransaction(pool(), async (tx) => {
      const known = await findMember(tx, claims)
      if (known?.removed_at && !settingUp) return refuse('sso-removed', known.id)
      // Somebody who was removed and is invited again begins anew.
      if (known?.removed_at) await tx.query(FORGET_IDENTITY, [known.id])
      const member = known?.removed_at ? null : known
      if (roleClaim && !claimed) {
        if (member) await changeRole(tx, { member, role: 'end-user' }, context)
        return refuse('sso-no-role', member?.id ?? null)
      }
      if (member) return signIn(tx, member, claimed, claims, context)
      if (settingUp) return join(tx, settingUp, claimed, claims, context)
      return claimed ? admitNew(tx, claimed, claims, context) : refuse('sso-not-invited', null)
    })
  } catch (error) {
    // The link was withdrawn or used meanwhile.
    if (error instanceof Refused) return refuse('sso-link-gone', settingUp?.memberId ?? null)
    throw error
  }
}

const refuse = (why: SignInRefusal, memberId: string | null): Admission => ({
  kind: 'refused',
  why,
  memberId,
})

const FORGET_IDENTITY = 'UPDATE member SET sso_issuer = NULL, sso_subject = NULL WHERE id = $1'

interface MemberRow {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly removed_at: Date | null
}

async function findMember(tx: Transaction, { iss, sub }: Claims): Promise<MemberRow | null> {
  const { rows } = await tx.query<MemberRow>(
    `SELECT id, name, role, removed_at FROM member
     WHERE sso_issuer = $1 AND sso_subject = $2 AND joined_at IS NOT NULL FOR UPDATE`,
    [iss, sub],
  )
  return rows[0] ?? null
}

async function signIn(
  tx: Transaction,
  member: MemberRow,
  claimed: StaffRole | null,
  claims: Claims,
  context: RequestContext,
): Promise<Admission> {
  const role = claimed ?? parseRole(member.role) ?? 'end-user'
  if (role === 'end-user') return refuse('sso-no-role', member.id)
  if (role !== member.role) await changeRole(tx, { member, role }, context)
  await tx.query('UPDATE member SET email = COALESCE($2, email) WHERE id = $1', [member.id, claims.email])
  return openFor(tx, member.id, role, claims, context)
}

/** Somebody who comes for the first time, with a role that the provider gives. */
async function admitNew(
  tx: Transaction,
  role: StaffRole,
  claims: Claims,
  context: RequestContext,
): Promise<Admission> {
  const { iss, sub, name, email } = claims
  const id = uuidv7()
  await tx.query(
    `INSERT INTO member (id, name, email, role, sso_issuer, sso_subject) VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, name ?? email ?? sub, email, role, iss, sub],
  )
  const entry = { actor: { id, role }, action: 'member.join', target: id, outcome: 'done' } as const
  await recordAudit(tx, { ...entry, details: { by: 'single sign-on', role } }, context)
  return openFor(tx, id, role, claims, context)
}

/** Whoever opened a link signs in like this from now on. */
async function join(
  tx: Transaction,
  settingUp: Caller,
  claimed: StaffRole | null,
  { iss, sub, email, name }: Claims,
  context: RequestContext,
): Promise<Admission> {
  await tx.query(
    `UPDATE member SET sso_issuer = $2, sso_subject = $3, email = COALESCE($4, email), role = COALESCE($5, role),
                       name = CASE WHEN name = '' THEN COALESCE($6, $4, $3) ELSE name END
     WHERE id = $1 AND joined_at IS NULL`,
    [settingUp.memberId, iss, sub, email, claimed, name],
  )
  return { kind: 'signed-in', token: await finishSetUp(tx, settingUp, 'sso', context) }
}

async function openFor(
  tx: Transaction,
  memberId: string,
  role: Role,
  { auth_time }: Claims,
  context: RequestContext,
): Promise<Admission> {
  const now = new Date()
  // Whom the provider let in without asking proved earlier who they are.
  const provedAt = auth_time === undefined ? now : new Date(Math.min(auth_time * 1000, now.getTime()))
  const signedIn = {
    userUuid: null,
    memberId,
    method: 'sso',
    serviceSessionId: null,
    role,
    provedAt,
  } as const
  const token = await openSession(tx, signedIn, context, now)
  const actor = { id: memberId, role }
  const entry = { actor, action: 'session.start', outcome: 'done', details: { method: 'sso' } } as const
  await recordAudit(tx, entry, context)
  return { kind: 'signed-in', token }
}
