import 'server-only'
import type { Caller } from '#lib/access/caller.ts'
import { parseRole, type Role } from '#lib/access/rules/roles.ts'
import { prisma } from '#lib/platform/db/prisma.ts'

/** What the set-up page shows to whoever opened a link. */
export interface SetUpView {
  /** Empty until they have said. */
  readonly name: string
  readonly email: string | null
  /** The role that they will have. */
  readonly role: Role
}

/** Null when the link was withdrawn meanwhile. */
export async function readSetUp({ memberId }: Caller): Promise<SetUpView | null> {
  if (memberId === null) return null
  const member = await prisma().member.findFirst({ where: { id: memberId, joinedAt: null } })
  const role = parseRole(member?.role ?? '')
  return member && role ? { name: member.name, email: member.email, role } : null
}
