import 'server-only'
import { z } from 'zod'
import { type Caller, type CallSource, requireFreshSignIn, requirePermission } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import { type Role, staffRoles } from '#lib/access/rules/roles.ts'
import { singleSignOn, tellAdmins } from '#lib/audit/notices/notices.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { inTransaction, type Transaction } from '#lib/platform/db/in-transaction.ts'
import { pool } from '#lib/platform/db/pool.ts'
import { ReasonSchema, uuidField } from '#lib/platform/forms/fields.ts'
import { Refused } from '#lib/platform/refusals.ts'
import { withdrawLinks } from '../links/access-links.ts'
import { EndSessionsSchema, endSessionsAsAdmin, endSessionsOf } from '../sessions/person-sessions.ts'
import { type LockedMember, lockMember, requireOtherAdmin } from './lock-team.ts'

export const ChangeRoleSchema = z.object({
  memberId: uuidField('This is not the id of a member.'),
  role: z.enum(staffRoles, 'Choose a role.'),
  reason: ReasonSchema,
  /** The page had shown this role. */
  seen: z.string().max(100).optional(),
})

/**
 * The member gets another role, and their sessions end at once: they sign in again with the new one. The last
 * admin stays an admin. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function changeRole(
  caller: Caller,
  { memberId, role, reason, seen }: z.output<typeof ChangeRoleSchema>,
  source: CallSource,
): Promise<{ readonly memberId: string }> {
  requirePermission(caller, 'manage-team')
  requireFreshSignIn(caller)
  await inTransaction(pool(), async (tx) => {
    const member = await lockMember(tx, caller, memberId)
    if (member.role === role) throw new Refused('nothing-to-change')
    if (seen !== undefined && seen !== member.role) throw new Refused('changed-meanwhile')
    if (member.role === 'admin') await requireOtherAdmin(tx, memberId)
    await setRole(tx, member, role, { actor: caller, reason }, source)
  })
  return { memberId }
}

interface RoleGiver {
  /** The admin makes the change; null when the single sign-on provider does. */
  readonly actor: Caller | null
  /** The admin wrote this reason. */
  readonly reason?: string
}

/**
 * The member gets another role, or `end-user` for none. Their sessions end at once; an admin who loses the role
 * also loses the links that they gave out. The caller holds the team's lock and has looked for another admin.
 */
export async function setRole(
  tx: Transaction,
  member: LockedMember,
  role: Role,
  { actor, ...why }: RoleGiver,
  source: CallSource,
): Promise<void> {
  const { memberId, name } = member
  await tx.query('UPDATE member SET role = $2 WHERE id = $1', [memberId, role])
  const by = actor ? {} : { by: singleSignOn.id }
  const details = { ...by, before: member.role, after: role }
  const entry = { actor, action: 'member.role', target: memberId, outcome: 'done', details } as const
  await recordAudit(tx, { ...entry, ...why }, source)
  await endSessionsOf(tx, member, { actor, why: 'role-lost', ...why }, source)
  // A member who was an admin a moment ago can give out no further link after that.
  if (member.role === 'admin') await withdrawLinksOf(tx, member)
  const facts = { member: name, before: wordFor(member.role), after: wordFor(role) }
  const notice = { kind: 'role-changed', actor: actor ?? singleSignOn, about: memberId, facts } as const
  await tellAdmins(tx, { ...notice, ...why })
}

const wordFor = (role: Role | null): string =>
  role === null ? 'an unknown role' : role === 'end-user' ? 'none' : roleLabels[role]

export const RemoveMemberSchema = z.object({
  memberId: uuidField('This is not the id of a member.'),
  reason: ReasonSchema,
})

/**
 * The member leaves the team: their sessions, replays, passkeys and links end. `listLeftBehind` lists what they
 * made and saw. The last admin stays. Throws `NotAllowed`, `SignInAgain` and `Refused`.
 */
export async function removeMember(
  caller: Caller,
  { memberId, reason }: z.output<typeof RemoveMemberSchema>,
  source: CallSource,
): Promise<{ readonly memberId: string }> {
  requirePermission(caller, 'manage-team')
  requireFreshSignIn(caller)
  await inTransaction(pool(), async (tx) => {
    const member = await lockMember(tx, caller, memberId)
    if (member.role === 'admin') await requireOtherAdmin(tx, memberId)
    await tx.query('UPDATE member SET removed_at = now() WHERE id = $1', [memberId])
    await tx.query('DELETE FROM passkey WHERE member_id = $1', [memberId])
    const details = { role: member.role }
    const entry = { actor: caller, action: 'member.remove', target: memberId, outcome: 'done' } as const
    await recordAudit(tx, { ...entry, reason, details }, source)
    await endSessionsOf(tx, member, { actor: caller, why: 'member-removed', reason }, source)
    // The member gives out no further link after that.
    await withdrawLinksOf(tx, member)
    const facts = {
      member: member.name,
      before: member.role ? roleLabels[member.role] : 'an unknown role',
    }
    await tellAdmins(tx, { kind: 'member-removed', actor: caller, about: memberId, reason, facts })
  })
  return { memberId }
}

/** Links that let this member in, and invitations that they have given out, no longer open. */
async function withdrawLinksOf(tx: Transaction, { memberId, userUuid }: LockedMember): Promise<void> {
  const persons = [memberId, userUuid].filter((id) => id !== null)
  const { rows } = await tx.query<{ id: string }>(LINKS, [memberId, persons])
  await withdrawLinks(tx, rows)
}

const LINKS = `
  SELECT id FROM access_link
  WHERE (member_id = $1 OR created_by = ANY($2::text[])) AND used_at IS NULL AND withdrawn_at IS NULL`

export const EndMemberSessionsSchema = EndSessionsSchema.extend({
  memberId: uuidField('This is not the id of a member.'),
})

/** One session of a member ends, or all of them. Throws `NotAllowed` and `Refused`. */
export async function endMemberSessions(
  caller: Caller,
  { memberId, ...which }: z.output<typeof EndMemberSessionsSchema>,
  source: CallSource,
): Promise<{ readonly ended: number }> {
  requirePermission(caller, 'manage-team')
  return endSessionsAsAdmin(
    caller,
    async (tx) => {
      const { rows } = await tx.query<{ user_uuid: string | null }>(MEMBER, [memberId])
      const [member] = rows
      return member ? { memberId, userUuid: member.user_uuid } : null
    },
    which,
    source,
  )
}

const MEMBER = 'SELECT user_uuid FROM member WHERE id = $1'
