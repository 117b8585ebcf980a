import 'server-only'
import { uuidv7 } from 'uuidv7'
import type { Caller, RequestContext } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { roleOfClaims } from '#lib/access/rules/role-of-claims.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { singleSignOn, tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { joinTeam } from '../links/join-team.ts'
import { setRole } from '../members/change-members.ts'
import { hasAdmin, isFixedAdmin, lockTeam, requireOtherAdmin } from '../members/lock-team.ts'
import type { SignInRefusal } from '../rules/sign-in.ts'
import { startSession } from '../sessions/open-session.ts'
import type { Answer, Claims } from './claims.ts'
import {
  findByAddress,
  findByIdentity,
  findMoved,
  forgetIdentity,
  type KnownMember,
  linkIdentity,
  withdrawInvitations,
} from './find-by-address.ts'
import { requireSingleSignOn } from './provider.ts'
import { claimNames } from './reports.ts'

export type Admission =
  | { readonly kind: 'signed-in'; readonly token: string }
  | { readonly kind: 'refused'; readonly why: SignInRefusal; readonly memberId: string | null }

/**
 * The person of these claims is signed in with the role that they give; a person without a role loses theirs. Nobody else
 * changes the team meanwhile: the last admin stays an admin, and two first sign-ins of one person make one member.
 */
export async function admitByClaims(
  answer: Answer,
  settingUp: Caller | null,
  context: RequestContext,
): Promise<Admission> {
  const { claims } = answer
  const { roleClaim } = requireSingleSignOn()
  const said = roleClaim && roleOfClaims(answer.sets, roleClaim)
  // Null when the provider decides nothing; `end-user` when it gives no role.
  const claimed = said && (said.kind === 'role' ? said.role : 'end-user')
  try {
    return await inTransaction(pool(), async (tx) => {
      await lockTeam(tx)
      const known = await findByIdentity(tx, claims)
      if (known?.isRemoved && !settingUp) return refuse('sso-removed', known.memberId)
      if (
        (said?.kind === 'not-sent' || said?.kind === 'unreadable') &&
        !isFixedAdmin(known?.userUuid ?? null)
      )
        return refuseUnsaid(tx, said.kind, known, answer)
      if (known && !known.isRemoved) return signIn(tx, known, claimed, answer, context)
      if (claimed === 'end-user') return refuse('sso-no-role', null)
      // A removed member who is invited again begins anew.
      if (known) await forgetIdentity(tx, known.memberId)
      if (settingUp) return join(tx, settingUp, claimed, answer, context)
      const moved = await findMoved(tx, claims)
      if (moved) return refuse('sso-issuer-moved', moved.memberId)
      const { member, isProved } = await findByAddress(tx, claims)
      if (member && !isProved) return refuse('sso-known-address', member.memberId)
      if (member) return signIn(tx, member, claimed, answer, context)
      return claimed ? admitNew(tx, claimed, answer, context) : refuse('sso-not-invited', null)
    })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    // Otherwise the link was withdrawn or used meanwhile.
    return refuse(
      error.code === 'last-admin' ? 'sso-last-admin' : 'sso-link-gone',
      settingUp?.memberId ?? null,
    )
  }
}

const refuse = (why: SignInRefusal, memberId: string | null): Admission => ({
  kind: 'refused',
  why,
  memberId,
})

/** The role stays unchanged: an admin must decide if it was lost, and all admins are notified. */
async function refuseUnsaid(
  tx: Transaction,
  kind: 'not-sent' | 'unreadable',
  known: KnownMember | null,
  { sets }: Answer,
): Promise<Admission> {
  const memberId = known?.memberId ?? null
  const facts = {
    member: known?.name ?? 'somebody who is no member yet',
    claim: requireSingleSignOn().roleClaim?.claim ?? '',
    how: kind === 'not-sent' ? 'was not sent' : 'cannot be read',
    came: claimNames(sets).join(', ').slice(0, 500),
  }
  const notice = { kind: 'role-not-said', actor: singleSignOn, facts, onceADay: true } as const
  await tellAdmins(tx, { ...notice, ...(memberId === null ? {} : { about: memberId }) })
  return refuse(kind === 'not-sent' ? 'sso-role-not-sent' : 'sso-role-unreadable', memberId)
}

async function signIn(
  tx: Transaction,
  member: KnownMember,
  claimed: Role | null,
  answer: Answer,
  context: RequestContext,
): Promise<Admission> {
  const { claims } = answer
  const { memberId } = member
  const role = isFixedAdmin(member.userUuid) ? 'admin' : (claimed ?? member.role ?? 'end-user')
  if (role !== member.role) {
    if (member.role === 'admin' && !(await hasAdmin(tx, memberId))) return keepAdmin(tx, member, role)
    await setRole(tx, member, role, { actor: null }, context)
  }
  if (role === 'end-user') return refuse('sso-no-role', memberId)
  if (!member.hasIdentity) await linkIdentity(tx, member, claims, context)
  const { verified, shown } = addressesOf(claims)
  await tx.query(FOLLOW, [memberId, verified, shown, claims.name])
  return { kind: 'signed-in', token: await startFor(tx, memberId, role, answer, context) }
}

/** The provider knows the names and addresses of its people; when it gives none, nothing changes. */
const FOLLOW = `
  UPDATE member SET email = COALESCE($2, email), sso_email = CASE WHEN $2 IS NULL THEN COALESCE($3, sso_email) END,
                    name = COALESCE($4, name)
  WHERE id = $1`

/** An address that the provider has not verified may be anybody's: members are not found by it. */
function addressesOf({ email, email_verified }: Claims) {
  const isVerified = email_verified === true
  return { verified: isVerified ? email : null, shown: isVerified ? null : email }
}

/** Without an admin nobody could manage the team; but against the provider's claims nobody signs in as an admin. */
async function keepAdmin(tx: Transaction, { memberId, name }: KnownMember, role: Role): Promise<Admission> {
  const facts = { member: name, after: role === 'end-user' ? 'none' : roleLabels[role] }
  const notice = { kind: 'last-admin-kept', actor: singleSignOn, about: memberId, facts } as const
  await tellAdmins(tx, { ...notice, onceADay: true })
  return refuse('sso-last-admin', memberId)
}

/** The person comes for the first time, with a role that the provider gives. */
async function admitNew(
  tx: Transaction,
  role: Role,
  answer: Answer,
  context: RequestContext,
): Promise<Admission> {
  const { claims } = answer
  const { iss, sub, name, email } = claims
  const { verified, shown } = addressesOf(claims)
  const id = uuidv7()
  const member = name ?? email ?? sub
  await tx.query(
    `INSERT INTO member (id, name, email, sso_email, role, sso_issuer, sso_subject)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [id, member, verified, shown, role, iss, sub],
  )
  const actor = { id, role }
  const entry = { actor, action: 'member.join', target: id, outcome: 'done' } as const
  await recordAudit(tx, { ...entry, details: { by: singleSignOn.id, role } }, context)
  await withdrawInvitations(tx, actor, claims, context)
  const facts = { member, role: roleLabels[role] }
  await tellAdmins(tx, { kind: 'member-joined', actor: singleSignOn, about: id, facts })
  return { kind: 'signed-in', token: await startFor(tx, id, role, answer, context) }
}

/**
 * The person who opened a link signs in like this from now on. When the provider decides on roles, its role
 * replaces the invited one. Throws `Refused` when the link is gone, or nobody would be an admin: then it still works.
 */
async function join(
  tx: Transaction,
  settingUp: Caller,
  claimed: Role | null,
  answer: Answer,
  context: RequestContext,
): Promise<Admission> {
  const { iss, sub, email, name } = answer.claims
  const { verified, shown } = addressesOf(answer.claims)
  await tx.query(
    `UPDATE member SET sso_issuer = $2, sso_subject = $3, email = COALESCE($4, email), sso_email = $5,
                       name = CASE WHEN name = '' THEN $6 ELSE name END
     WHERE id = $1 AND joined_at IS NULL`,
    [settingUp.memberId, iss, sub, verified, shown, name ?? email ?? sub],
  )
  const joined = await joinTeam(tx, settingUp, 'sso', context)
  const role = claimed ?? joined.role
  if (joined.role === 'admin' && role !== 'admin') await requireOtherAdmin(tx, joined.memberId)
  if (role !== joined.role) await setRole(tx, { ...joined, userUuid: null }, role, { actor: null }, context)
  return { kind: 'signed-in', token: await startFor(tx, joined.memberId, role, answer, context) }
}

function startFor(
  tx: Transaction,
  memberId: string,
  role: Role,
  { proof }: Answer,
  context: RequestContext,
): Promise<string> {
  // A provider that let somebody in without asking has an earlier proof; without a time there is no proof at all.
  const provedAt = proof.at ?? new Date(0)
  const signedIn = {
    userUuid: null,
    memberId,
    method: 'sso',
    serviceSessionId: null,
    role,
    provedAt,
  } as const
  return startSession(tx, signedIn, context)
}
