import 'server-only'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import type { Member } from '#lib/platform/db/generated/client.ts'
import { prisma } from '#lib/platform/db/prisma.ts'
import { env } from '#lib/platform/env.ts'
import type { SignInMethod } from '../rules/sign-in-method.ts'
import { isEnoughForStaff } from './is-enough-for-staff.ts'

export interface Membership {
  /** Null for whoever is no member. */
  readonly memberId: string | null
  readonly role: Role
  readonly name: string | null
  readonly email: string | null
  /** Whether somebody has opened a link and not yet set up a way to sign in: until then they have no role. */
  readonly settingUp: boolean
}

/** As whom somebody signed in, and how: as a user of the service, as a member of staff, or as both. */
export interface SignedInAs {
  readonly userUuid: string | null
  readonly memberId: string | null
  readonly method: SignInMethod
}

/**
 * What somebody is here, now. Whoever is no member, or was removed, is an end user, and so is a member who signed in by
 * what is not enough for staff.
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

const noMember: Membership = {
  memberId: null,
  role: 'end-user',
  name: null,
  email: null,
  settingUp: false,
}

export interface MembershipRow extends Pick<Member, 'id' | 'role' | 'name' | 'email'> {
  /** A moment, in whatever form. */
  readonly joinedAt: Date | string | null
  readonly removedAt: Date | string | null
}

/** The same, of a row that was read; null for whoever has none. */
export function membershipOf(
  { userUuid, method }: Pick<SignedInAs, 'userUuid' | 'method'>,
  member: MembershipRow | null,
): Membership {
  // Not a member at all: otherwise a mailbox would be enough to add a passkey to the member, and be staff by that.
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
