import 'server-only'
import { z } from 'zod'
import type { Caller } from '#lib/access/caller.ts'
import { requirePermission } from '#lib/access/require-permission.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { listSessionsOf, type SessionView } from '../sessions/list-sessions.ts'
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
