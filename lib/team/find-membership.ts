import 'server-only'
import type { Member } from '#lib/db/generated/client.ts'
import { prisma } from '#lib/db/prisma.ts'
import { parseRole, type Role } from '#lib/domain/access/roles.ts'
import { env } from '#lib/env.ts'

export interface Membership {
  /** Null for end users. */
  readonly memberId: string | null
  readonly role: Role
  readonly name: string | null
}

/** What a user is here, now. Whoever is no member, or was removed, is an end user. */
export async function findMembership(userUuid: string): Promise<Membership> {
  return membershipOf(userUuid, await prisma().member.findUnique({ where: { userUuid } }))
}

/** The same, of a row that was read; null for whoever has none. */
export function membershipOf(
  userUuid: string,
  member: (Pick<Member, 'id' | 'role' | 'removedAt'> & { readonly name: string | null }) | null,
): Membership {
  const isAdmin = env().admins.includes(userUuid.toLowerCase())
  if (!member || (member.removedAt && !isAdmin)) {
    return { memberId: null, role: isAdmin ? 'admin' : 'end-user', name: null }
  }
  // A role that this version does not know gives no rights.
  const role = isAdmin ? 'admin' : (parseRole(member.role) ?? 'end-user')
  return { memberId: member.id, role, name: member.name }
}
