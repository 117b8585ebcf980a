import 'server-only'
import { prisma } from '#lib/db/prisma.ts'
import { emailKey, exactEmail } from './email-key.ts'

/**
 * The user whom the directory knows by this e-mail address. Of several whose addresses differ in case only, the one with
 * exactly this spelling; null when none has it, since nobody can tell who is meant.
 */
export async function findUserByEmail(email: string): Promise<{ readonly userUuid: string } | null> {
  const people = await prisma().person.findMany({
    where: { emailKey: emailKey(email) },
    select: { userUuid: true, email: true },
    take: 100,
  })
  const [only, other] = people
  if (only && !other) return { userUuid: only.userUuid }
  const exact = people.filter((person) => exactEmail(person.email ?? '') === exactEmail(email))
  const [meant, another] = exact
  return meant && !another ? { userUuid: meant.userUuid } : null
}
