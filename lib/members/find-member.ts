import 'server-only'
import { z } from 'zod'
import { listSessionsOf, type SessionView } from '#lib/auth/list-sessions.ts'
import { prisma } from '#lib/db/prisma.ts'
import type { Caller } from '#lib/request/caller.ts'
import { requirePermission } from '#lib/request/require-permission.ts'
import { findMemberView, type MemberView } from './list-members.ts'

/** One member, removed or not, with the sessions that stand; null for an unknown one. Throws `NotAllowed`. */
export async function findMember(
  caller: Caller,
  id: string,
): Promise<{ readonly member: MemberView; readonly sessions: readonly SessionView[] } | null> {
  requirePermission(caller, 'manage-team')
  const memberId = z.guid().safeParse(id).data
  const member = memberId === undefined ? null : await findMemberView(caller, memberId)
  if (!member) return null
  const row = await prisma().member.findUnique({ where: { id: member.id }, select: { userUuid: true } })
  const owner = { memberId: member.id, userUuid: row?.userUuid ?? null }
  return { member, sessions: await listSessionsOf(owner, caller.sessionId) }
}
