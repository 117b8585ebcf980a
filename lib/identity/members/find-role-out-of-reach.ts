import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { membershipOf } from './find-membership.ts'
import { isEnoughForStaff } from './is-enough-for-staff.ts'

/** The role that this person would have with a passkey or single sign-on, and has not now; null for everybody else. */
export async function findRoleOutOfReach({ userUuid, method }: Caller): Promise<Role | null> {
  if (userUuid === null || isEnoughForStaff(method)) return null
  const member = await prisma().member.findUnique({ where: { userUuid: userUuid.toLowerCase() } })
  const { role } = membershipOf({ userUuid, method: 'passkey' }, member)
  return role === 'end-user' ? null : role
}
