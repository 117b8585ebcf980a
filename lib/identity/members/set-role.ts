import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { roleLabels } from '#lib/access/labels/role-labels.ts'
import type { CallSource } from '#lib/access/request-context.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { singleSignOn, tellAdmins } from '#lib/audit/notices/tell-admins.ts'
import { recordAudit } from '#lib/audit/record-audit.ts'
import type { Transaction } from '#lib/platform/db/in-transaction.ts'
import { endSessionsOf } from '../sessions/end-sessions.ts'
import type { LockedMember } from './lock-team.ts'
import { withdrawLinksOf } from './withdraw-links-of.ts'

interface RoleGiver {
  /** The admin who changes it; null where the provider of single sign-on does. */
  readonly actor: Caller | null
  /** Why, in the admin's words. */
  readonly reason?: string
}

/**
 * Gives a member another role, `end-user` for none any more. Their sessions end at once, and with the role of an admin the
 * links that they gave out. For callers that hold the team's lock and have looked for another admin.
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
  // After that nobody who was an admin a moment ago gives out another one.
  if (member.role === 'admin') await withdrawLinksOf(tx, member)
  const facts = { member: name, before: wordFor(member.role), after: wordFor(role) }
  const notice = { kind: 'role-changed', actor: actor ?? singleSignOn, about: memberId, facts } as const
  await tellAdmins(tx, { ...notice, ...why })
}

const wordFor = (role: Role | null): string =>
  role === null ? 'an unknown role' : role === 'end-user' ? 'none' : roleLabels[role]
