import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import type { Member } from '#lib/platform/db/generated/client.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import type { SignInMethod } from '../rules/sign-in.ts'

interface Membership {
  /** Null for a person who is no member. */
  readonly memberId: string | null
  readonly role: Role
  readonly name: string | null
  readonly email: string | null
  /** The person has opened a link and not yet set up a way to sign in: until then they have no role. */
  readonly settingUp: boolean
}

/** Somebody signed in as a user of the service, as a member of staff, or as both. */
interface SignedInAs {
  readonly userUuid: string | null
  readonly memberId: string | null
  readonly method: SignInMethod
}

const noMember: Membership = {
  memberId: null,
  role: 'end-user',
  name: null,
  email: null,
  settingUp: false,
}

export interface MembershipRow extends Pick<Member, 'id' | 'role' | 'name' | 'email'> {
  /** The time may be in any form. */
  readonly joinedAt: Date | string | null
  readonly removedAt: Date | string | null
}

/** The membership is computed from a row; null for a person without one. */
export function membershipOf(
  { userUuid, method }: Pick<SignedInAs, 'userUuid' | 'method'>,
  member: MembershipRow | null,
): Membership {
  // The person counts as no member: otherwise a mailbox would be enough to add a passkey to the member, and so
  // to become staff.
  if (!isEnoughForStaff(method)) return noMember
  const isAdmin = userUuid !== null && env().admins.includes(userUuid.toLowerCase())
  if (!member || (member.removedAt && !isAdmin)) {
    return isAdmin ? { ...noMember, role: 'admin' } : noMember
  }
  const { id: memberId, name, email } = member
  const settingUp = member.joinedAt === null && !isAdmin
  // A role that this version does not know gives no rights.
  const role = isAdmin ? 'admin' : settingUp ? 'end-user' : (parseRole(member.role) ?? 'end-user')
  return { memberId, role, name, email, settingUp }
}

/**
 * The sign-in method is enough for staff. A wallet or an e-mail code only proves a user of the service; staff
 * need a passkey or single sign-on, unless `STAFF_SIGN_IN` says otherwise.
 */
export const isEnoughForStaff = (method: SignInMethod): boolean =>
  env().staffSignIn === 'any' || (method !== 'wallet' && method !== 'code')

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
