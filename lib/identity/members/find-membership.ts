import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import type { Role } from '#lib/access/rules/roles.ts'
import type { Member } from '#lib/platform/db/generated/client.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { isEnoughForStaff, type Membership, membershipOf, type SignedInAs } from './membership.ts'

/**
 * The membership is read at this moment. A person who is no member, or was removed, is an end user; so is a
 * member whose sign-in method is not enough for staff.
 */
export async function findMembership(who: SignedInAs): Promise<Membership> {
  return membershipOf(who, await findMember(who))
}

function findMember({ memberId, userUuid }: Omit<SignedInAs, 'method'>): Promise<Member | null> {
  if (memberId !== null) return prisma().member.findUnique({ where: { id: memberId } })
  return userUuid === null
    ? Promise.resolve(null)
    : prisma().member.findUnique({ where: { userUuid: userUuid.toLowerCase() } })
}

/**
 * With a passkey or single sign-on, this person would have the returned role, which they do not have now; null
 * for everybody else.
 */
export async function findRoleOutOfReach({ userUuid, method }: Caller): Promise<Role | null> {
  if (userUuid === null || isEnoughForStaff(method)) return null
  const member = await prisma().member.findUnique({ where: { userUuid: userUuid.toLowerCase() } })
  const { role } = membershipOf({ userUuid, method: 'passkey' }, member)
  return role === 'end-user' ? null : role
}
