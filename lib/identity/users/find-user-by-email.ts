import 'server-only'
import { prisma } from '#lib/platform/db/prisma.ts'
import type { CleanText } from '#lib/platform/rules/pasted-text.ts'
import { emailSpellings, exactEmail } from './email-key.ts'

/**
 * The users whom the directory knows by this e-mail address in either spelling of its host, the one who was there first at the beginning. Of several whose
 * addresses differ in case only, those with exactly this spelling; all where none has it.
 */
export async function findUsersByEmail(email: CleanText): Promise<readonly string[]> {
  const people = await prisma().person.findMany({
    where: { emailKey: { in: [...emailSpellings(email)] } },
    select: { userUuid: true, email: true },
    orderBy: [{ createdAt: 'asc' }, { userUuid: 'asc' }],
    take: 100,
  })
  const exact = people.filter((person) => exactEmail(person.email ?? '') === exactEmail(email))
  return (exact.length > 0 ? exact : people).map(({ userUuid }) => userUuid)
}

/** The one user among these; null when there are several, since nobody can tell who is meant. */
export async function findUserByEmail(email: CleanText): Promise<{ readonly userUuid: string } | null> {
  const [userUuid, another] = await findUsersByEmail(email)
  return userUuid && !another ? { userUuid } : null
}
