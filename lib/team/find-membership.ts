import 'server-only'
import { prisma } from '#lib/db/prisma.ts'
import { parseRole, type Role } from '#lib/domain/roles.ts'
import { env } from '#lib/env.ts'

export interface Membership {
  /** Null for end users. */
  readonly memberId: string | null
  readonly role: Role
  readonly name: string | null
}

/** What a user is here, now. Whoever is no member, or was removed, is an end user. */
export async function findMembership(userUuid: string): Promise<Membership> {
  const member = await prisma().member.findUnique({ where: { userUuid } })
  const isAdmin = env().admins.includes(userUuid.toLowerCase())
  if (!member || (member.removedAt && !isAdmin)) {
    return { memberId: null, role: isAdmin ? 'admin' : 'end-user', name: null }
  }
  // A role that this version does not know gives no rights.
  const role = isAdmin ? 'admin' : (parseRole(member.role) ?? 'end-user')
  return { memberId: member.id, role, name: member.name }
}
