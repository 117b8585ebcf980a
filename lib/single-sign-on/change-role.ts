import 'server-only'
import { recordAudit } from '#lib/audit/record-audit.ts'
import type { Transaction } from '#lib/db/in-transaction.ts'
import type { Role } from '#lib/domain/access/roles.ts'
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
  await tx.query(END_SESSIONS, [member.id])
  const details = { by: 'single sign-on', before: member.role, after: role }
  const entry = { actor: null, action: 'member.role', target: member.id, outcome: 'done', details } as const
  await recordAudit(tx, entry, context)
}

const END_SESSIONS = `
  UPDATE session SET ended_at = now(), end_reason = 'role-lost', service_session = NULL
  WHERE member_id = $1 AND ended_at IS NULL`
