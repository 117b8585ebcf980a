import 'server-only'
import { recordAudit } from '#lib/audit/record-audit.ts'
import { endSessionsOf } from '#lib/auth/end-sessions.ts'
import type { Transaction } from '#lib/db/in-transaction.ts'
import { parseRole, type Role } from '#lib/domain/access/roles.ts'
import { roleLabels } from '#lib/labels/role-labels.ts'
import { tellAdmins } from '#lib/notices/tell-admins.ts'
import type { RequestContext } from '#lib/request/request-context.ts'

interface RoleChange {
  readonly member: { readonly id: string; readonly name: string; readonly role: string }
  /** `end-user`: none any more. */
  readonly role: Role
}

/** The provider gives somebody another role: sessions with the earlier one end. */
export async function changeRole(
  tx: Transaction,
  { member, role }: RoleChange,
  context: RequestContext,
): Promise<void> {
  if (member.role === role) return
  await tx.query('UPDATE member SET role = $2 WHERE id = $1', [member.id, role])
  const details = { by: 'single sign-on', before: member.role, after: role }
  const entry = { actor: null, action: 'member.role', target: member.id, outcome: 'done', details } as const
  await recordAudit(tx, entry, context)
  const owner = { userUuid: null, memberId: member.id }
  await endSessionsOf(tx, owner, { actor: null, why: 'role-lost' }, context)
  const facts = { member: member.name, before: labelOf(member.role), after: labelOf(role) }
  await tellAdmins(tx, { kind: 'role-changed', actor: provider, about: member.id, facts })
}

const provider = { id: 'single sign-on', name: 'Single sign-on' }

const labelOf = (role: string) => (role === 'end-user' ? 'none' : roleLabels[parseRole(role) ?? 'end-user'])
